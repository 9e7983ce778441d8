// @vitest-environment jsdom
import "../../support/browser.ts";
import { Emitter } from "@theia/core/lib/common/event";
import { URI } from "@theia/core/lib/common/uri";
import { Container } from "@theia/core/shared/inversify";
import { FileService } from "@theia/filesystem/lib/browser/file-service";
import { ProblemManager } from "@theia/markers/lib/browser/problem/problem-manager";
import { MonacoTextModelService } from "@theia/monaco/lib/browser/monaco-text-model-service";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ProblemReader } from "../../../src/browser/documents/problem-reader.ts";

let markers: Emitter<URI>;
let told: (readonly string[])[];

beforeEach(() => {
  vi.useFakeTimers();
  markers = new Emitter();
  told = [];
  const container = new Container();
  const standIn = (service: symbol | (abstract new (...args: never[]) => unknown), value: object): unknown =>
    container.bind<unknown>(service).toConstantValue(value);
  standIn(ProblemManager, { onDidChangeMarkers: markers.event });
  standIn(MonacoTextModelService, { onDidCreate: new Emitter().event, models: [] });
  standIn(FileService, {});
  container.resolve(ProblemReader).onDidChange((paths) => told.push(paths));
});
afterEach(() => void vi.useRealTimers());

it("tells in one go whose problems were published shortly after one another", () => {
  for (const name of ["/ws/a.ts", "/ws/b.ts", "/ws/a.ts"]) markers.fire(URI.fromFilePath(name));
  expect(told).toEqual([]);
  vi.advanceTimersByTime(50);
  expect(told).toEqual([["/ws/a.ts", "/ws/b.ts"]]);
  markers.fire(URI.fromFilePath("/ws/a.ts"));
  vi.advanceTimersByTime(50);
  expect(told.slice(1)).toEqual([["/ws/a.ts"]]);
});

it("says nothing of what is no file", () => {
  markers.fire(new URI("untitled:Untitled-1"));
  vi.advanceTimersByTime(50);
  expect(told).toEqual([]);
});
