/**
 * What git gets when it runs without anybody having been asked: a repository's own configuration names programs that even `git status`
 * would run, and no text of a command shows them (permissions.md, statement 38).
 */
export const GIT_HARDENING = {
  variables: {
    GIT_OPTIONAL_LOCKS: '0',
    GIT_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    // Objects that are missing would be fetched, by a program that the repository names; a setting for one way to fetch beats `protocol.allow`.
    GIT_ALLOW_PROTOCOL: 'none',
  },
  config: [
    ['core.fsmonitor', 'false'],
    ['core.pager', 'cat'],
    ['core.hooksPath', '/dev/null'],
    ['protocol.allow', 'never'],
    // What is run inside a submodule does not get these settings.
    ['diff.ignoreSubmodules', 'dirty'],
    ['diff.submodule', 'short'],
    ['status.submoduleSummary', 'false'],
    ['log.showSignature', 'false'],
    ['gpg.program', 'false'],
    ['gpg.openpgp.program', 'false'],
    ['gpg.x509.program', 'false'],
    ['gpg.ssh.program', 'false'],
  ],
} as const;
