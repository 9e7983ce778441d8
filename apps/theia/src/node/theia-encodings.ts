import { BinaryBuffer } from "@theia/core/lib/common/buffer";
import type { EncodingService } from "@theia/core/lib/common/encoding-service";
import type { Encodings } from "./attached-window.ts";

/** Theia's own encodings. Apart from what uses them: the contract runs on the backend's parts where Theia's modules cannot be loaded. */
export function theiaEncodings(service: EncodingService): Encodings {
  return {
    detect: async (bytes) => (await service.detectEncoding(BinaryBuffer.wrap(bytes))).encoding,
    decode: (bytes, encoding) => service.decode(BinaryBuffer.wrap(bytes), encoding),
  };
}
