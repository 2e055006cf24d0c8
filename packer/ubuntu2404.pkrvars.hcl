# Ubuntu 24.04 LTS (noble)
cloud_image    = "https://cloud-images.ubuntu.com/noble/current/noble-server-cloudimg-amd64.img"
cloud_checksum = "file:https://cloud-images.ubuntu.com/noble/current/SHA256SUMS"
