// Wine 8 refuses TCP_KEEPIDLE on a socket that is not connected yet, and Node's fetch asks for it then ("connect UNKNOWN"). Windows takes it.
const { Socket } = require("node:net");

Socket.prototype.setKeepAlive = function setKeepAlive() {
  return this;
};
