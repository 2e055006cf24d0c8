# A virtual machine's disk from a distribution's cloud image: `pth images build fedora-vm` runs it with the variables of
# fedora.pkrvars.hcl; by hand: packer build -var-file=packer/fedora.pkrvars.hcl -var key=FILE … packer
#
# Packer 1.6 (Debian's) and newer: newer ones need plugins.pkr.hcl beside this file, which 1.6 does not understand.

variable "cloud_image" {
  type        = string
  description = "Address or file of a qcow2 disk that boots."
}

variable "cloud_checksum" {
  type    = string
  default = "none"
}

variable "output" {
  type        = string
  description = "Folder to write disk.qcow2 into; must not be there yet."
}

variable "key" {
  type        = string
  description = "File of the private SSH key; its public half is in the seed."
}

variable "seed" {
  type        = string
  description = "Folder with cloud-init's user-data and meta-data, served to the machine over HTTP while it is built."
}

variable "payload" {
  type        = string
  description = "Archive that is unpacked over / of the machine."
}

variable "script" {
  type        = string
  description = "Script that is run in the machine, as root."
}

variable "serial" {
  type        = string
  default     = "/dev/null"
  description = "File for what the machine says on its console."
}

variable "accelerator" {
  type    = string
  default = "kvm"
}

variable "processor" {
  type    = string
  default = "host"
}

variable "cpus" {
  type    = number
  default = 1
}

variable "memory" {
  type    = number
  default = 2048
}

variable "disk_size" {
  type    = string
  default = "8G"
}

variable "ssh_timeout" {
  type    = string
  default = "15m"
}

variable "qemuargs" {
  type        = list(list(string))
  default     = []
  description = "More arguments of QEMU, for example of a kernel that is booted directly."
}

source "qemu" "vm" {
  iso_url          = var.cloud_image
  iso_checksum     = var.cloud_checksum
  disk_image       = true
  use_backing_file = false
  skip_compaction  = true
  format           = "qcow2"
  disk_size        = var.disk_size
  disk_interface   = "virtio"
  disk_cache       = "unsafe"
  net_device       = "virtio-net"
  accelerator      = var.accelerator
  cpus             = var.cpus
  memory           = var.memory
  headless         = true
  http_directory   = var.seed
  output_directory = var.output
  vm_name          = "disk.qcow2"
  qemuargs = concat([
    ["-cpu", var.processor],
    ["-serial", "file:${var.serial}"],
    # cloud-init looks for its seed where the firmware's serial number says (NoCloud).
    ["-smbios", "type=1,serial=ds=nocloud-net;s=http://{{ .HTTPIP }}:{{ .HTTPPort }}/"],
  ], var.qemuargs)
  boot_wait            = "1s"
  communicator         = "ssh"
  ssh_username         = "root"
  ssh_private_key_file = var.key
  ssh_timeout          = var.ssh_timeout
  shutdown_command     = "systemctl poweroff --force"
}

build {
  sources = ["source.qemu.vm"]

  provisioner "file" {
    source      = var.payload
    destination = "/tmp/pth-payload.tar"
  }

  provisioner "shell" {
    inline = ["tar -C / --no-same-owner -xf /tmp/pth-payload.tar", "rm /tmp/pth-payload.tar"]
  }

  provisioner "shell" {
    script = var.script
  }
}
