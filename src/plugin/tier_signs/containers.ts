import { defineTierDetector } from "../tier_detector.ts";

export default defineTierDetector({
  what: "runs containers",
  tier: 2,
  command: /^(?:docker|podman|nerdctl|buildah|lxc|incus|ctr|crictl) (?!--version\b|version\b)\S/,
  path: /^(?:unix:\/\/)?\/(?:var\/)?run\/(?:docker|podman\/podman|containerd\/containerd)\.sock$/,
  module: /^(?:dockerode|docker|podman|bollard|github\.com\/docker\/docker\/client)$/,
});
