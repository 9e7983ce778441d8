// An entry of its own, so that the driver is loaded with the first conversation with Pi.
export { PiSession, type PiSessionOptions } from "./pi-rpc/session.ts";
