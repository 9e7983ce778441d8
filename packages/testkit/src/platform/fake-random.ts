import { createHash, createHmac } from "node:crypto";
import type { Random } from "@patchbay/core";

/** Random texts that are the same in every run with one seed; macs are real. */
export function createFakeRandom(seed = "seed"): Random {
  let count = 0;
  return {
    token(byteLength: number): string {
      let bytes = Buffer.alloc(0);
      while (bytes.length < byteLength) {
        count += 1;
        bytes = Buffer.concat([bytes, createHash("sha256").update(`${seed}:${count}`).digest()]);
      }
      return bytes.subarray(0, byteLength).toString("base64url");
    },
    mac: (key, text) => createHmac("sha256", key).update(text).digest("base64url"),
  };
}
