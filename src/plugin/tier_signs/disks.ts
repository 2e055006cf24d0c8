import { defineTierDetector } from "../tier_detector.ts";

export default defineTierDetector({
  what: "formats, partitions or maps disks",
  tier: 3,
  command:
    /^(?:mkfs(?:\.\w+)? |mkswap |swapon |swapoff |losetup (?!-[al]\b|--list|--all)\S|(?:lv|vg|pv)(?:create|remove|extend|reduce|resize|change)\b|(?:parted|fdisk|sfdisk|gdisk|sgdisk) (?!-l\b|--list)\S|wipefs |cryptsetup |mdadm --(?:create|assemble|stop|manage)|resize2fs |tune2fs |hdparm |dd (?:\S+ )*of=\/dev\/(?!null|stdout)|zpool (?:create|destroy)\b)/,
});
