import { connect } from "node:net";

/** Whether something on this machine accepts connections on a port; waits 500 ms at most. */
export async function probePort(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    const end = (answers: boolean): void => {
      socket.destroy();
      resolve(answers);
    };
    socket.setTimeout(500, () => end(false));
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}
