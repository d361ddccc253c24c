// Preloaded into the suite's runner: its servers listen on every interface, and no test needs more than this machine.
const { Server } = require('node:net');

const listen = Server.prototype._listen2;
Server.prototype._listen2 = function (address, ...rest) {
  return listen.call(this, [null, undefined, '::', '0.0.0.0'].includes(address) ? '127.0.0.1' : address, ...rest);
};
