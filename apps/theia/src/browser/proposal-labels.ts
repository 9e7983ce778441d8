import type { DidChangeLabelEvent, LabelProviderContribution } from "@theia/core/lib/browser/label-provider";
import { DiffUris } from "@theia/core/lib/browser/diff-uris";
import { codicon } from "@theia/core/lib/browser/widgets/widget";
import { Emitter, type Event } from "@theia/core/lib/common/event";
import { URI } from "@theia/core/lib/common/uri";
import { injectable } from "@theia/core/shared/inversify";
import { proposalIdOf } from "./proposal-uris.ts";

/** Names the tabs of proposals: the file and the agent, and what is special about it. */
@injectable()
export class ProposalLabels implements LabelProviderContribution {
  protected readonly labels: Map<string, string> = new Map();
  protected readonly onDidChangeEmitter: Emitter<DidChangeLabelEvent> = new Emitter();
  readonly onDidChange: Event<DidChangeLabelEvent> = this.onDidChangeEmitter.event;

  set(proposalId: string, label: string): void {
    this.labels.set(proposalId, label);
    this.onDidChangeEmitter.fire({
      affects: (element) => element instanceof URI && proposalIdOf(element) === proposalId,
    });
  }

  delete(proposalId: string): void {
    this.labels.delete(proposalId);
  }

  canHandle(element: object): number {
    return element instanceof URI && proposalIdOf(element) !== undefined ? 100 : 0;
  }

  getIcon(): string {
    return codicon("git-pull-request");
  }

  getName(uri: URI): string {
    return this.labels.get(proposalIdOf(uri) ?? "") ?? fileOf(uri).path.base;
  }

  getLongName(uri: URI): string {
    return fileOf(uri).path.fsPath();
  }
}

function fileOf(uri: URI): URI {
  return DiffUris.isDiffUri(uri) ? (DiffUris.decode(uri)[1] ?? uri) : uri;
}
