/* SPDX-License-Identifier: Apache-2.0 */
/* Words that tell nobody, and those of tools that no name may take away: lists of words between blanks, in lower case. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "redact_private.h"

/* Accounts and groups that systems and services bring along; those of cloud images. */
static const char of_systems[] =
    " root daemon bin sys sync games man lp mail news uucp proxy www-data backup list irc gnats nobody "
    "nogroup _apt "
    "systemd-network systemd-resolve systemd-timesync systemd-oom systemd-coredump systemd messagebus "
    "message-bus dbus syslog "
    "sshd polkitd rtkit avahi ntp chrony _chrony rpc rpcuser statd tss munge slurm slurmd slurmdbd "
    "slurmrestd "
    "nvidia-persistenced nv-hostengine dcgm nvidia-dcgm postfix postgres mysql redis nginx apache httpd "
    "prometheus "
    "node_exporter node-exporter telegraf grafana kube etcd containerd docker podman wheel adm disk video "
    "render users "
    "staff tty dialout cdrom floppy audio plugdev netdev sudo kvm input utmp crontab ssh shadow operator "
    "halt shutdown "
    "reboot ftp admin administrator ubuntu centos rocky debian ec2-user cloud-user cloud-init azureuser opc "
    "user guest "
    "git gdm lightdm usbmux uuidd tcpdump landscape pollinate fwupd-refresh lxd dnsmasq sssd nslcd lldpd "
    "_lldpd zabbix "
    "nagios icinga puppet ganglia haproxy memcache lock src kmem tape fax voice sasl systemd-journal sgx "
    "postdrop mem ssh_keys unbound clevis geoclue setroubleshoot cockpit-ws mongodb rabbitmq consul vault "
    "ceph bmc "
    "kube-system kube-public kube-node-lease default gpu-operator network-operator nvidia-network-operator "
    "monitoring "
    "calico-system cilium ";

/* What is nobody's name, wherever it stands: of a language, and our marks, without which an output cannot be read again. */
static const char of_language[] =
    "  a an and any are as at be by but can cannot could did do does each every for from had has have how if "
    "in into is it its may might must no none nor not null of off ok on once one only or other others out "
    "over own per same should since so some still than that the their them then there these they this those "
    "to too two under until up us was we were what when where whether which while who why will with within "
    "without would yes you your false true unknown n/a na nan nil void all both uid gid "
    "assay assay-part ";

/* Words of tools, and of their outputs: what is named so is replaced in its place only. */
static const char of_tools[] =
    "  n y inf auto name names user users username group groups owner host hosts hostname localhost local "
    "localdomain node nodes address addresses port ports device devices dev path file files folder dir home "
    "data work scratch tmp test tests testing group0 main self our ours mine job jobs step steps run runs "
    "check checks suite rank ranks task tasks gpu gpus npu cpu cpus hca hcas nic nics pcie pci numa nvlink "
    "nvswitch fabric switch link links lane lanes rail rails rack racks leaf spine unit units slot slots "
    "core "
    "cores thread threads socket sockets board chassis system systems server servers client clients service "
    "services manager agent driver drivers kernel firmware bios bmc boot module modules memory mem cache "
    "page "
    "pages buffer buffers stack heap space mode modes level state states status size type types version "
    "versions model serial uuid guid guids lid gids mac ether ethernet infiniband roce tcp udp rdma ib eth "
    "bond bridge vlan lo inet inet6 loopback o2ib net network networks nfs lustre mount mounted disk disks "
    "drive nvme mlx5 mlx4 mlx5_core mlx5_ib nvidia nvidia-smi nccl cuda cudart cublas mpi mpirun openmpi "
    "ompi "
    "orte prte ucx hcoll sharp dcgm dcgmi fio slurm kubernetes docker podman containerd linux ubuntu debian "
    "redhat rhel centos rocky alma suse gnu intel amd arm x86_64 aarch64 mellanox connectx bluefield "
    "broadcom "
    "dell hpe lenovo supermicro huawei inspur cisco arista oracle google amazon aws azure microsoft github "
    "gitlab ascend hopper ampere blackwell sxm hgx dgx h100 h200 b200 a100 l40 v100 error errors "
    "warning warnings info debug fail failed failure pass passed good bad fault fatal critical success skip "
    "skipped ready active inactive idle down enabled disabled start started stop stopped end ended begin "
    "began open opened close closed read write send receive receives request response connection connected "
    "session sessions login logged logout accepted invalid preauth password publickey key keys root input "
    "output stdin stdout stderr console terminal shell bash sh sudo su cron crond ssh sshd systemd udev dbus "
    "process processes program programs command commands argument arguments option options value values min "
    "max avg mean median sum total count time times date day week month year second seconds hour minute ms "
    "ns "
    "s kb mb gb tb kib mib gib tib bytes byte bit bits hz mhz ghz w v c f k m g t rate speed width bandwidth "
    "latency throughput power clock temperature fan voltage current limit limits gate cluster clusters site "
    "region zone cloud hpc compute login01 head headnode storage store backup mgmt management admin operator "
    "default public private internal external global common shared base example sample demo delivery trial "
    "periodic preflight soak tuning quick smoke all_reduce all_gather reduce_scatter broadcast alltoall "
    "sendrecv reduce allreduce allgather float half double int8 int32 uint8 bfloat16 place size_bytes metric "
    "subject cause remedy verdict accept reject incomplete inconclusive recorded measured gone reason com "
    "org "
    "edu gov mil cn country corp lan intranet arpa svc www ftp api docs developer download pool app apps web "
    "mail image images library lib libs include usr var opt etc mnt proc bin sbin share engine controller ";

/* Of makers of what is tested, and of what it is tested with: they stand in tools' outputs everywhere. */
static const char public_domains[] =
    " nvidia.com nvcr.io mellanox.com github.com githubusercontent.com github.io gitlab.com docker.io "
    "docker.com "
    "kubernetes.io k8s.io ubuntu.com debian.org kernel.org redhat.com fedoraproject.org centos.org "
    "rockylinux.org "
    "almalinux.org suse.com opensuse.org oracle.com open-mpi.org openucx.org openfabrics.org intel.com "
    "amd.com arm.com "
    "gnu.org python.org pypi.org w3.org ietf.org rfc-editor.org iana.org sqlite.org freedesktop.org "
    "schedmd.com "
    "microsoft.com launchpad.net apache.org mozilla.org json-schema.org openssh.com openssl.org libssh2.org "
    "readthedocs-hosted.com readthedocs.io "
    "lustre.org "
    "whamcloud.com huawei.com hiascend.com pytorch.org tensorflow.org llvm.org readthedocs.io "
    "stackoverflow.com "
    "ntp.org libvirt.org qemu.org broadcom.com dell.com hpe.com lenovo.com supermicro.com arxiv.org "
    "wikipedia.org "
    "cloudflare.com archive.org mpi-forum.org dmtf.org pcisig.com nvmexpress.org infinibandta.org spec.org "
    "oasis-open.org "
    "azure.com techcommunity.microsoft.com medium.com together.ai fb.com meta.com 51cto.com lixueduan.com "
    "ucw.cz ";

/* Last labels of names that are some host's wherever they stand; behind the bar only with two labels before them. */
static const char last_labels[] =
    " com org edu gov mil cn | net local internal intranet lan corp home example invalid io "
    "ai cloud hpc cluster de fr uk eu ch nl se fi dk pl cz ru jp kr sg hk tw au nz ca br il "
    "ae sa es pt gr tr ro hu ie lu ";

static bool is_in(const char *list, const char *name, size_t length)
{
    char word[72];

    if (length == 0 || length > sizeof word - 3)
        return false;
    word[0] = ' ';
    for (size_t i = 0; i < length; i++)
        word[i + 1] = (char)tolower((unsigned char)name[i]);
    word[length + 1] = ' ';
    word[length + 2] = '\0';
    return memchr(name, ' ', length) == NULL && strstr(list, word) != NULL;
}

bool redact_stays(const char *name, size_t length)
{
    return is_in(of_systems, name, length) || is_in(of_language, name, length) ||
           (length >= 9 && strncasecmp(name, "localhost", 9) == 0);
}

/* "gpu7", "mlx5_0", "eth2": an index, whatever machine is called so. */
bool redact_is_field(const char *name, size_t length)
{
    static const char *const words[] = {"gpu",  "npu",  "cpu",  "mlx5_", "mlx4_", "eth",    "rank",
                                        "link", "port", "numa", "nvme",  "dev",   "core",   "bond",
                                        "cuda", "sm",   "hca",  "ib",    "irdma", "enp",    "ens",
                                        "rdma", "pts",  "tty",  "step",  "slot",  "bnxt_re"};

    while (length > 0 && isdigit((unsigned char)name[length - 1]))
        length--;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (strlen(words[i]) == length && strncasecmp(words[i], name, length) == 0)
            return true;
    return false;
}

bool redact_is_common(const char *name, size_t length)
{
    return length < 2 || redact_stays(name, length) || is_in(of_tools, name, length) ||
           redact_is_field(name, length) || (length >= 5 && strncasecmp(name, "anon-", 5) == 0);
}

/* "co.uk" */
static bool is_of_country(const char *domain)
{
    static const char second[] = " co ac com edu gov org net or ne go ";
    size_t first = strcspn(domain, ".");

    return domain[first] == '.' && strlen(domain + first + 1) == 2 && is_in(second, domain, first);
}

const char *redact_owner_of_domain(const char *domain)
{
    const char *at = domain;

    for (const char *dot = strchr(domain, '.'); dot != NULL; dot = strchr(dot + 1, '.'))
        if (strchr(dot + 1, '.') != NULL && !is_of_country(dot + 1))
            at = dot + 1;
    return at;
}

bool redact_is_public(const char *domain)
{
    const char *owner = redact_owner_of_domain(domain);

    return is_in(public_domains, owner, strlen(owner));
}

bool redact_is_fqdn(const char *name)
{
    const char *last = strrchr(name, '.'), *bar = strchr(last_labels, '|');
    const char *found;
    char word[72];

    if (last == NULL || strlen(last) > 16)
        return false;
    snprintf(word, sizeof word, " %s ", last + 1);
    for (char *c = word; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    found = strstr(last_labels, word);
    return found != NULL && (found < bar || memchr(name, '.', (size_t)(last - name)) != NULL);
}
