# SPDX-License-Identifier: Apache-2.0
# end_job: Slurm takes the host back, so nothing of ours may stay on it, also what left the step's processes. The supervisors go
# first: what ends here is lost, and did not end by itself. Nobody waits for the locks of what has ended.
end_job() {
    trap '' TERM
    found=$(grep -lzxF "SLURM_JOB_ID=$SLURM_JOB_ID" /proc/[0-9]*/environ)
    attempts=$(for f in $found; do tr '\0' '\n' <"$f" | sed -n 's/^ASSAY_ATTEMPT=\([0-9A-Za-z-]*\)$/\1/p'; done | sort -u)
    for f in $found; do grep -qzxF supervise "${f%environ}cmdline" && end_process "$f"; done
    for f in $found; do grep -qz '^ASSAY_ATTEMPT=' "$f" && end_process "$f"; done
    uid=$(id -u)
    for attempt in $attempts; do
        find "/var/tmp/assay-locks-$uid" "/tmp/assay-locks-$uid" "/dev/shm/assay-locks-$uid" -maxdepth 1 -type l -user "$uid" \
            -name "*.$attempt.*" -exec rm -f {} +
    done
    exit 1
}
# end_process /proc/PID/environ
end_process() { f=${1#/proc/}; kill -s KILL "${f%/*}"; }
