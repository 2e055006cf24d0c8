# Debian 13 (trixie)
cloud_image    = "https://cloud.debian.org/images/cloud/trixie/latest/debian-13-generic-amd64.qcow2"
cloud_checksum = "file:https://cloud.debian.org/images/cloud/trixie/latest/SHA512SUMS"
