# For Packer 1.7 and newer, whose builders are plugins: `packer init packer`. Packer 1.6 has QEMU's builder built in and
# does not understand this file; `pth images build` leaves it out there.
packer {
  required_plugins {
    qemu = {
      version = ">= 1.0.0"
      source  = "github.com/hashicorp/qemu"
    }
  }
}
