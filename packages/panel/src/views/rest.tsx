import { Queue, Suggestions, UsageMeter } from "./composer/composer.tsx";
import { Queue as QueueView } from "./composer/queue.tsx";
import { Suggestions as SuggestionList } from "./composer/suggestion-list.tsx";
import { UsageMeter as UsageMeterView } from "./composer/usage.tsx";
import { NoticeView, OpenQuestion, PlanView } from "./entries/entry.tsx";
import { NoticeView as NoticeBody, PlanView as PlanBody } from "./entries/plan-and-notice.tsx";
import { PromptActions } from "./entries/prompt.tsx";
import { PromptActions as PromptActionsView } from "./entries/prompt-actions.tsx";
import { ConversationList, Elsewhere, Welcome } from "./frame/app.tsx";
import { ConversationList as ConversationListView } from "./frame/conversation-list.tsx";
import { Elsewhere as ElsewhereView } from "./frame/elsewhere.tsx";
import { Rename } from "./frame/head.tsx";
import { Rename as RenameView } from "./frame/rename.tsx";
import { Welcome as WelcomeView } from "./frame/welcome.tsx";
import { Announcer as AnnouncerView } from "./log/announcer.tsx";
import { ChangesBar as ChangesBarView } from "./log/changes-bar.tsx";
import { Announcer, ChangesBar, FindBar } from "./log/conversation.tsx";
import { FindBar as FindBarView } from "./log/find-bar.tsx";
import { SignedOut as SignedOutView } from "./log/signed-out.tsx";
import { SignedOut } from "./log/status-row.tsx";
import { OpenQuestion as QuestionView } from "./questions/question.tsx";
import { DiffCounts, DiffView } from "./widgets/diff-parts.ts";
import { MenuPopup } from "./widgets/menu.tsx";
import { MenuPopup as MenuPopupView } from "./widgets/menu-popup.tsx";
import { DiffCounts as DiffCountsView, DiffView as SmallDiffView } from "./widgets/small-diff.tsx";

/** Puts in place what a conversation does not need to be drawn: a second chunk, asked for with the first one. */
export function fillRest(): void {
  Announcer.fill(AnnouncerView);
  ChangesBar.fill(ChangesBarView);
  ConversationList.fill(ConversationListView);
  DiffCounts.fill(DiffCountsView);
  DiffView.fill(SmallDiffView);
  Elsewhere.fill(ElsewhereView);
  FindBar.fill(FindBarView);
  MenuPopup.fill(MenuPopupView);
  NoticeView.fill(NoticeBody);
  OpenQuestion.fill(QuestionView);
  Queue.fill(QueueView);
  PlanView.fill(PlanBody);
  PromptActions.fill(PromptActionsView);
  Rename.fill(RenameView);
  SignedOut.fill(SignedOutView);
  Suggestions.fill(SuggestionList);
  UsageMeter.fill(UsageMeterView);
  Welcome.fill(WelcomeView);
}
