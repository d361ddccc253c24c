/** A kind of command that destroys what cannot be brought back, and what to say of it in one sentence. */
export interface WarningRule {
  /** Names of commands, parted by blanks; a star at the end stands for any ending. */
  readonly commands: string;
  /** Words that stand there beside each other, or one of several such rows parted by `|`; options between them do not count. */
  readonly words?: string;
  /** Options one of which must stand there: `-f` also within `-xfd`, `--force` also as `--force=…`. */
  readonly options?: string;
  /** Further options one of which must stand there too. */
  readonly also?: string;
  /** What all words together must contain. */
  readonly text?: RegExp;
  readonly says: string;
}

const SQL_CLIENTS = 'psql mysql mariadb sqlite3 sqlcmd duckdb clickhouse-client cockroach mycli pgcli bq snowsql';

/** Destructive kinds; the first that fits is said. */
export const WARNING_RULES: readonly WarningRule[] = [
  { commands: 'git', words: 'reset', options: '--hard --merge', says: 'It throws away changes that are not committed.' },
  { commands: 'git', words: 'push', options: '--force -f --force-with-lease --mirror', says: "It overwrites the remote branch's history." },
  { commands: 'git', words: 'push', text: /(^|\s)\+\S/, says: "It overwrites the remote branch's history." },
  { commands: 'git', words: 'push', options: '--delete -d --prune', says: 'It deletes branches or tags on the remote.' },
  { commands: 'git', words: 'push', text: /\s:\S/, says: 'It deletes branches or tags on the remote.' },
  { commands: 'git', words: 'clean', options: '-f --force', says: 'It deletes files that git does not track.' },
  { commands: 'git', words: 'checkout', options: '-f --force -- --ours --theirs', says: 'It throws away changes that are not committed.' },
  { commands: 'git', words: 'checkout .', says: 'It throws away changes that are not committed.' },
  { commands: 'git', words: 'switch', options: '-f --force --discard-changes', says: 'It throws away changes that are not committed.' },
  { commands: 'git', words: 'restore', says: 'It throws away changes that are not committed.' },
  { commands: 'git', words: 'branch', options: '-D', says: 'It deletes a branch, merged or not.' },
  { commands: 'git', words: 'branch', options: '-d --delete', also: '-f --force', says: 'It deletes a branch, merged or not.' },
  { commands: 'git', words: 'stash drop|stash clear', says: 'It deletes stashed changes.' },
  { commands: 'git', words: 'reflog expire|reflog delete', says: 'It deletes the record by which lost commits could be found.' },
  { commands: 'git', words: 'gc|prune', options: '--prune --expire --aggressive', says: 'It deletes commits that no branch holds.' },
  { commands: 'git', words: 'filter-branch|filter-repo', says: 'It rewrites the history.' },
  { commands: 'git-filter-repo bfg', says: 'It rewrites the history.' },
  { commands: 'git', words: 'commit', options: '--amend', says: 'It rewrites the last commit.' },
  { commands: 'git', words: 'update-ref', options: '-d', says: 'It deletes a reference.' },
  { commands: 'git', words: 'tag', options: '-d --delete', says: 'It deletes a tag.' },
  {
    commands: 'git',
    words: 'worktree remove|submodule deinit',
    options: '-f --force',
    says: 'It deletes a working tree with its changes.',
  },
  { commands: 'rm', options: '-r -R --recursive', says: 'It removes folders with all that is in them.' },
  { commands: 'rm', options: '-f --force', says: 'It removes files without asking.' },
  { commands: 'find', options: '-delete', says: 'It removes every file it finds.' },
  { commands: 'shred', says: 'It overwrites files so that nothing can bring them back.' },
  { commands: 'truncate', says: 'It cuts off what is in files.' },
  { commands: 'dd', text: /(^|\s)of=/, says: 'It overwrites its target byte by byte.' },
  { commands: 'mkfs mkfs.* mkswap', says: 'It erases a file system.' },
  { commands: 'wipefs blkdiscard fdisk sfdisk cfdisk sgdisk gdisk parted badblocks', says: 'It changes or erases a disk.' },
  { commands: 'zfs zpool', words: 'destroy', says: 'It destroys a volume.' },
  { commands: 'lvremove vgremove pvremove', says: 'It destroys a volume.' },
  {
    commands: 'chmod',
    options: '-R --recursive',
    text: /\b0?(?:777|666|000)\b|[ao]\+[rwx]*w/,
    says: 'It changes rights everywhere below a folder, too far to be taken back.',
  },
  { commands: 'chown chgrp', options: '-R --recursive', says: 'It changes owners everywhere below a folder.' },
  {
    commands: 'rsync',
    options: '--delete --delete-after --delete-before --delete-during --delete-excluded --remove-source-files',
    says: 'It deletes files at its target, or its source.',
  },
  {
    commands: SQL_CLIENTS,
    text: /\bdrop\s+(?:table|database|schema|view|index|user|role|column|owned|materialized|type|function|sequence|keyspace)\b/i,
    says: 'It drops a part of a database.',
  },
  { commands: SQL_CLIENTS, text: /\btruncate\s+(?:table\s+)?["`\w]/i, says: 'It empties tables.' },
  { commands: SQL_CLIENTS, text: /\bdelete\s+from\s+[\w."`]+\s*(?:;|['"]?\s*$)/i, says: 'It deletes every row of a table.' },
  { commands: 'dropdb dropuser', says: 'It drops a database.' },
  { commands: 'mysqladmin', words: 'drop', says: 'It drops a database.' },
  { commands: 'mongo mongosh', text: /\b(?:dropDatabase|drop|deleteMany|remove)\s*\(/, says: 'It drops or empties collections.' },
  { commands: 'redis-cli', text: /\bflush(?:all|db)\b/i, says: 'It deletes every key.' },
  { commands: 'kubectl oc k', words: 'delete', says: 'It deletes resources of a cluster.' },
  { commands: 'kubectl oc k', words: 'drain', says: 'It moves everything off a node.' },
  { commands: 'kubectl oc k', words: 'replace', options: '--force', says: 'It deletes resources of a cluster and makes them anew.' },
  { commands: 'helm', words: 'uninstall|delete', says: 'It removes a release from a cluster.' },
  { commands: 'terraform tofu terragrunt', words: 'destroy', says: 'It destroys infrastructure.' },
  {
    commands: 'terraform tofu terragrunt',
    words: 'apply',
    options: '-auto-approve --auto-approve -destroy',
    says: 'It changes infrastructure without showing what it will do.',
  },
  {
    commands: 'terraform tofu terragrunt',
    words: 'state rm|workspace delete|force-unlock',
    says: 'It removes what is known of infrastructure.',
  },
  { commands: 'pulumi cdk sst serverless sls', words: 'destroy|remove', says: 'It destroys infrastructure.' },
  {
    commands: 'docker podman',
    words: 'system prune|volume prune|image prune|container prune|builder prune',
    says: 'It deletes images, containers or volumes that are not in use.',
  },
  { commands: 'docker podman', words: 'volume rm|volume remove', says: 'It deletes volumes with what is in them.' },
  {
    commands: 'docker podman',
    words: 'rm|rmi|container rm|image rm',
    options: '-f --force -v --volumes',
    says: 'It deletes containers or images, in use or not.',
  },
  { commands: 'docker podman', words: 'compose down', options: '-v --volumes --rmi', says: 'It deletes volumes with what is in them.' },
  { commands: 'docker-compose', words: 'down', options: '-v --volumes --rmi', says: 'It deletes volumes with what is in them.' },
  { commands: 'aws', words: 's3 rm', options: '--recursive', says: 'It deletes every object below a place.' },
  { commands: 'aws', words: 's3 rb', says: 'It deletes a bucket.' },
  { commands: 'aws', words: 's3 sync', options: '--delete', says: 'It deletes objects at its target.' },
  { commands: 'aws', text: /\s(?:delete|terminate|destroy|deregister|purge)-[a-z-]+/, says: 'It deletes resources of an account.' },
  {
    commands: 'gcloud az doctl linode-cli hcloud fly flyctl heroku vercel netlify railway',
    text: /(?:^|\s)(?:delete|destroy|remove|rm|purge)(?:\s|$)|:destroy\b/,
    says: 'It deletes resources of an account.',
  },
  { commands: 'gsutil', words: 'rm|rb', says: 'It deletes objects of a bucket.' },
  {
    commands: 'gh',
    words: 'repo delete|release delete|issue delete|secret delete|variable delete|workflow disable|run delete|gist delete|repo archive',
    says: 'It deletes something on the host of the code.',
  },
  { commands: 'gh', words: 'api', text: /\s(?:-X|--method)[ =]?DELETE\b/i, says: 'It deletes something on the host of the code.' },
  { commands: 'curl', text: /\s(?:-X|--request)[ =]?DELETE\b/, says: 'It asks a server to delete something.' },
  { commands: 'npm pnpm yarn', words: 'unpublish', says: 'It takes a published package away from everybody.' },
  { commands: 'npm pnpm yarn cargo gem twine', words: 'publish|push|upload', says: 'It publishes, which cannot be taken back.' },
  {
    commands: 'npx pnpm yarn bunx prisma',
    text: /\b(?:migrate\s+reset|db\s+push\s+.*--(?:force-reset|accept-data-loss))/,
    says: 'It empties a database.',
  },
  { commands: 'rails rake bundle', text: /\bdb:(?:drop|reset|purge|schema:load|migrate:reset)\b/, says: 'It drops a database.' },
  { commands: 'php', text: /\bartisan\s+(?:migrate:(?:fresh|reset|refresh)|db:wipe)\b/, says: 'It drops a database.' },
  { commands: 'python python3', text: /\bmanage\.py\s+(?:flush|reset_db)\b/, says: 'It empties a database.' },
  { commands: 'alembic', words: 'downgrade', says: 'It takes a database back, with what is in it.' },
  { commands: 'kill pkill killall', options: '-9 -KILL -SIGKILL', says: 'It ends programs without letting them save anything.' },
  { commands: 'pkill killall', says: 'It ends every program of a name.' },
  { commands: 'shutdown reboot halt poweroff', says: 'It stops the machine.' },
  { commands: 'systemctl service', words: 'stop|disable|mask|poweroff|reboot', says: 'It stops a service.' },
  { commands: 'crontab', options: '-r', says: 'It deletes every planned job.' },
  { commands: 'userdel groupdel deluser', says: 'It deletes an account.' },
  { commands: 'iptables ip6tables nft ufw', text: /(?:^|\s)(?:-F|--flush|flush|disable|reset)(?:\s|$)/, says: 'It takes down a firewall.' },
  {
    commands: 'apt apt-get dnf yum brew pacman apk',
    words: 'purge|remove|autoremove|uninstall',
    says: 'It removes software from the machine.',
  },
  { commands: 'history', options: '-c', says: 'It deletes the history of commands.' },
];
