# SPDX-License-Identifier: Apache-2.0
"""A real Slurm over the hosts of namespaces.py; what it needs of the machine is in the test's own folder."""

import os
import socket
import subprocess

from cluster import FOLDER, start_program, wait_until
from namespaces import NETWORK, write

CONFIGURATION = """
ClusterName=test
SlurmctldHost={controller}({network}.254)
SlurmUser=root
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
TmpFS=/var/tmp
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
MpiDefault=pmix
{nodes}PartitionName=all Nodes=ALL Default=YES State=UP OverSubscribe={sharing}
"""
# A second one, whose jobs take the nodes of the first one's away.
URGENT = """PreemptType=preempt/partition_prio
PreemptMode=CANCEL
PartitionName=urgent Nodes=ALL State=UP OverSubscribe={sharing} PriorityTier=10 PreemptMode=off
"""


class Slurm:
    def __init__(self, hosts, leaves=0, sharing="FORCE:8", urgent=False):
        """leaves: over so many leaf switches under one spine; 0: it knows of no switches. sharing: "NO" lets a job have a
        node for itself. urgent: there is a partition of that name, too."""
        self.hosts, self.folder, self.conf = hosts, f"{FOLDER}/slurm", f"{FOLDER}/slurm.conf"
        for name in ("spool", "state", *(host.name for host in hosts.list)):
            os.makedirs(f"{self.folder}/{name}")
        nodes = "".join(f"NodeName={host.name} NodeAddr={host.address} CPUs=2 RealMemory=100\n" for host in hosts.list)
        text = CONFIGURATION.format(controller=socket.gethostname(), network=NETWORK, folder=self.folder, nodes=nodes,
                                    sharing=sharing)
        if urgent:
            text += URGENT.format(sharing=sharing)
        if leaves:
            each = len(hosts.list) // leaves
            write(f"{FOLDER}/topology.conf", "".join(
                f"SwitchName=leaf{leaf + 1} Nodes={','.join(host.name for host in hosts.list[leaf * each:(leaf + 1) * each])}\n"
                for leaf in range(leaves)) + f"SwitchName=spine Switches=leaf[1-{leaves}]\n")
            text += "TopologyPlugin=topology/tree\n"
        write(self.conf, text)
        self.environment = {**os.environ, "SLURM_CONF": self.conf}
        self.controller = None

    def begin(self):
        """Whether all nodes came up."""
        silent = {"env": self.environment, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.begin_controller()
        for host in self.hosts.list:
            # The host's first process, not the one that made its namespaces: among its processes slurmd is to be seen.
            with open(f"/proc/{host.child.pid}/task/{host.child.pid}/children", encoding="ascii") as file:
                first = file.read().split()[0]
            start_program(["nsenter", "-t", first, "-n", "-u", "-m", "-p", "slurmd", "-D", "-N", host.name], **silent)
        return wait_until(lambda: self.idle() == len(self.hosts.list), 30)

    def begin_controller(self):
        """slurmctld, which goes on with what an earlier one has saved."""
        self.controller = start_program(["slurmctld", "-D"], env=self.environment, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)

    def ask(self, *words):
        return subprocess.run(words, env=self.environment, cwd=FOLDER, capture_output=True, text=True, check=False)

    def idle(self):
        """How many nodes are."""
        return self.ask("sinfo", "-h", "-N", "-p", "all", "-o", "%N %T").stdout.count(" idle")

    def start_job(self, node, *words):
        """A job of somebody on that node, which has begun."""
        job = self.ask("sbatch", "--parsable", "-w", node, "-J", "somebody", "-o", "/dev/null", *words, "--wrap", "sleep 600").stdout.strip()
        wait_until(lambda: self.ask("squeue", "-h", "-j", job, "-o", "%T").stdout.strip() == "RUNNING", 20)
        return job

    def allocate(self, node):
        """A job in which nothing runs."""
        told = self.ask("salloc", "--no-shell", "-w", node, "-J", "somebody").stderr
        return told.split("job allocation ")[1].split()[0]

    def jobs(self, name, states="all"):
        """{job: its state} of those with that name, ended ones too as long as Slurm knows them."""
        told = self.ask("squeue", "-h", "-t", states, "-n", name, "-o", "%i %T").stdout
        return dict(line.split() for line in told.splitlines())

    def log(self):
        with open(f"{self.folder}/slurmctld.log", encoding="utf-8") as file:
            return file.read()[-3000:]
