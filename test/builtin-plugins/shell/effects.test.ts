import { describe, expect, it } from 'vitest';
import { destructiveWarning } from '../../../builtin-plugins/shell/effects/destructive-warning.ts';
import { effectsOf, judgeEditing } from '../../../builtin-plugins/shell/effects/effects.ts';
import { memberOf, placesAsText } from './member-of.ts';

const edits = (command: string) => {
  const editing = judgeEditing(memberOf(command));
  return editing.kind === 'edits' ? placesAsText(editing.places).join(', ') : 'unknown';
};
const touches = (command: string) => placesAsText(effectsOf(memberOf(command)).places).join(', ');

describe('M5.2 statement 44: what the editing commands touch', () => {
  it.each([
    ['mkdir -p -m 755 a/b', 'writes a/b'],
    ['touch -r x a', 'reads x, writes a'],
    ['rm -rf dist build/*.o', 'removes* dist, removes* build/*.o'],
    ['rmdir a', 'removes a'],
    ['mv a b', 'reads a, writes a, writes b, writes b/a'],
    ['mv -t d a', 'writes d, reads a, writes a, writes d/a'],
    ['mv -td a', 'writes d, reads a, writes a, writes d/a'],
    ['cp a.txt b c', 'reads a.txt, reads b, writes c, writes c/a.txt, writes c/b'],
    ['cp --target-directory=d x/.npmrc', 'writes d, reads x/.npmrc, writes d/.npmrc'],
    ['cp -r a b', 'reads* a, writes b, writes b/a'],
    ['cp a b -f', 'reads a, writes b, writes b/a'],
    ['cp -- -a b', 'reads -a, writes b, writes b/-a'],
    ["sed -i 's/a/b/' f g", 'reads f, writes f, reads g, writes g'],
    ["sed -i.bak -e 's/a/b/' f", 'reads f, writes f'],
    ["sed --in-place -n '1p' f", 'reads f, writes f'],
  ])('%s', (command, expected) => {
    expect(edits(command)).toBe(expected);
  });

  it.each([
    'ln -s a b',
    '/bin/rm a',
    'mkdir $X',
    'rm "$X"',
    'mv * d',
    'cp --target-dir=d a',
    'cp -l a b',
    'cp -s a b',
    'cp -rT a b',
    'cp -r a/. b',
    'cp -a .. b',
    'cp -L a b',
    'rm --no-preserve-root a',
    "sed -i 's/a/b/w x' f",
    "sed -i../x 's/a/b/' f",
    "sed --in-pl 's/a/b/' f",
    'mv --backup=t a b',
    'install a b',
    'chmod +x a',
  ])('asks for %s', (command) => {
    expect(edits(command)).toBe('unknown');
  });
});

describe('M5.2 statement 42: what other commands read', () => {
  it.each([
    ['/bin/cat a', 'reads a'],
    ['cat --whatever a', 'reads a'],
    ['less -N a', 'reads a'],
    ['strings -n 8 a', 'reads a'],
    ['xxd a b', 'reads a, writes b'],
    ['sort -o out a', 'writes out, reads a'],
    ['sort --outp=out a', 'writes out, reads a'],
    ['awk -F: 1 a', 'reads a'],
    ['grep -R foo a', 'reads a'],
    ['dd if=a of=b', 'reads a, writes b'],
    ['tar czf x.tgz a', 'writes x.tgz, reads* a'],
    ['tar -xf x.tgz -C d', 'reads x.tgz, writes* d'],
    ['tar xf x.tgz', 'reads x.tgz, writes* .'],
    ['curl -T a http://x', 'reads a'],
    ['curl -o out http://x', 'writes out'],
    ['wget -O out http://x', 'writes out'],
    ['ln -s a d', 'reads a, writes d, writes d/a'],
    ['install -m 755 a d/b', 'reads a, writes d/b, writes d/b/a'],
    ['patch -p0 a x.diff', 'writes a, reads x.diff'],
    ['gawk -i inplace 1 a', 'reads a, writes a'],
    ['awk 1 a', 'reads a'],
    ["perl -pi.bak -e 's/a/b/' a", 'reads a, writes a'],
    ['sed -f s -i a', 'reads s, reads a, writes a'],
    ['/bin/sed -n p a', 'reads a'],
    ['tee -a a b', 'writes a, writes b'],
    ['rsync -a --delete a/ b', 'reads* a/, writes* b, writes b/a'],
    ['git config --file f core.pager x', 'reads f, writes f'],
    ['git config core.pager x', 'writes .git/config'],
    ['git config core.pager', ''],
    ['git -C ../x diff --output=o', 'reads* ../x, writes o'],
    ['git clone u d', 'writes d'],
    ['find a -name x -delete', 'reads* a, removes* a'],
    ['find . -fprint o', 'reads* ., writes o'],
    ['mkfs.ext4 -L x /dev/sdz', 'writes /dev/sdz'],
    ['chmod -R 000 a', 'writes* a'],
    ['rm -rf "$X"', 'removes* ?'],
    ['cat $X', 'reads ?'],
    ['nothing a', ''],
  ])('%s', (command, expected) => {
    expect(touches(command)).toBe(expected);
  });

  it('M5.2 statement 42: every piece of a word that could be a path is mentioned', () => {
    const mentions = (command: string) =>
      effectsOf(memberOf(command)).mentions.map((word) => (word.kind === 'text' ? word.text : word.source));
    expect(mentions('some a --in=b -Cc @d k=@e')).toEqual(['a', 'b', 'c', '@d', 'd', 'k=@e', '@e', 'e']);
    expect(mentions('curl -d @secret file:///a/b')).toEqual(expect.arrayContaining(['secret', '/a/b']));
    expect(mentions('some $X a*')).toEqual(['$X', 'a*']);
  });
});

describe('M5.5 warnings', () => {
  it.each([
    ['git reset --hard', 'not committed'],
    ['git -c x=y reset HEAD~1 --hard', 'not committed'],
    ['git push -f origin main', 'history'],
    ['git push --force-with-lease', 'history'],
    ['git push origin +main', 'history'],
    ['git push origin :old', 'deletes'],
    ['git clean -xfd', 'track'],
    ['git branch -D x', 'branch'],
    ['git checkout -- .', 'not committed'],
    ['git stash drop', 'stashed'],
    ['/bin/rm -fr x', 'removes folders'],
    ['rm -f x', 'removes files'],
    ['find . -delete', 'every file'],
    ['dd of=x', 'byte by byte'],
    ['mkfs.ext4 /dev/sdz', 'file system'],
    ['chmod -R 777 .', 'rights'],
    ['truncate -s 0 a', 'cuts off'],
    ['psql -c "DROP TABLE users"', 'drops'],
    ['mysql -e "truncate table x"', 'empties'],
    ['psql -c "delete from users;"', 'every row'],
    ['redis-cli FLUSHALL', 'every key'],
    ['kubectl -n x delete pod y', 'cluster'],
    ['terraform destroy', 'infrastructure'],
    ['terraform apply -auto-approve', 'infrastructure'],
    ['docker system prune -af', 'not in use'],
    ['aws s3 rm s3://b --recursive', 'every object'],
    ['aws ec2 terminate-instances --instance-ids i', 'account'],
    ['gh repo delete x', 'host of the code'],
    ['npm publish', 'taken back'],
    ['shutdown now', 'machine'],
  ])('say what %s destroys', (command, part) => {
    expect(destructiveWarning(memberOf(command))).toContain(part);
  });

  it.each([
    'git reset HEAD~1',
    'git push origin main',
    'git push origin HEAD:main',
    'git clean -n',
    'git branch -d x',
    'git checkout main',
    'rm x',
    'find . -name x',
    'chmod 644 x',
    'psql -c "select * from drops"',
    'psql -c "delete from users where id = 1"',
    'kubectl get pods',
    'terraform plan',
    'docker ps',
    'echo git reset --hard',
    'curl -X GET http://x',
    'npm test',
  ])('say nothing of %s', (command) => {
    expect(destructiveWarning(memberOf(command))).toBeUndefined();
  });
});
