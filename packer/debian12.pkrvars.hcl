# Debian 12 (bookworm)
cloud_image    = "https://cloud.debian.org/images/cloud/bookworm/latest/debian-12-generic-amd64.qcow2"
cloud_checksum = "file:https://cloud.debian.org/images/cloud/bookworm/latest/SHA512SUMS"
