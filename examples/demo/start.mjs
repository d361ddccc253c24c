// An old Node must be able to read this file, or it could not say its sentence.
const parts = process.versions.node.split('.').map(Number);
const newEnough = (parts[0] === 20 && parts[1] >= 19) || (parts[0] === 22 && parts[1] >= 12) || parts[0] > 22;

if (newEnough) {
  void import('./demo.mjs').then((demo) => demo.main(process.argv.slice(2)));
} else {
  console.error(
    'The demo needs Node 20.19, 22.12 or newer, and this is Node ' + process.versions.node + '. Install a newer Node and try again.',
  );
  process.exitCode = 1;
}
