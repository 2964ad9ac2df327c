# SPDX-License-Identifier: Apache-2.0
# usage: sh roce_addresses.sh
# The link layer of each port of each HCA and its table of addresses, as `grep -H` prints the kernel's files. Empty
# entries of the table have no type, and asking for it is an error.
cd "$ASSAY_LAB_ROOT/" && grep -H . sys/class/infiniband/*/ports/*/link_layer && {
    grep -sHv '^0000:0000:0000:0000:0000:0000:0000:0000$' sys/class/infiniband/*/ports/*/gids/*
    grep -sH . sys/class/infiniband/*/ports/*/gid_attrs/types/*
    [ $? -le 2 ]
}
