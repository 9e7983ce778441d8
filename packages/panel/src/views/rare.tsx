import { PromptActions } from "./entries/prompt.tsx";
import { PromptActions as PromptActionsView } from "./entries/prompt-actions.tsx";
import { AgentFacts as AgentFactsView } from "./frame/agent-facts.tsx";
import { AgentFacts, ConversationList, Elsewhere, FindBar, Welcome } from "./frame/app.tsx";
import { ConversationList as ConversationListView } from "./frame/conversation-list.tsx";
import { Rename, Worker } from "./frame/head.tsx";
import { Elsewhere as ElsewhereView, Rename as RenameView, Worker as WorkerView } from "./frame/frame-parts.tsx";
import { Welcome as WelcomeView } from "./frame/welcome.tsx";
import { FindBar as FindBarView } from "./log/find-bar.tsx";

/** Puts in place what is there for few looks at a conversation: a third chunk, asked for with the others. */
export function fill(): void {
  AgentFacts.fill(AgentFactsView);
  ConversationList.fill(ConversationListView);
  Elsewhere.fill(ElsewhereView);
  FindBar.fill(FindBarView);
  PromptActions.fill(PromptActionsView);
  Rename.fill(RenameView);
  Welcome.fill(WelcomeView);
  Worker.fill(WorkerView);
}
