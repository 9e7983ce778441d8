import {
  ComposerChips as ComposerChipsView,
  Queue as QueueView,
  Suggestions as SuggestionList,
} from "./composer/lists.tsx";
import { ComposerChips, ModeNote, OptionsRow, Queue, Suggestions, UsageMeter } from "./composer/composer.tsx";
import {
  ModeNote as ModeNoteView,
  OptionsRow as OptionsRowView,
  UsageMeter as UsageMeterView,
} from "./composer/foot.tsx";
import { NoticeView, OpenQuestion, PlanView, SettledQuestion, TurnEndView } from "./entries/entry.tsx";
import {
  NoticeView as NoticeBody,
  PlanView as PlanBody,
  ToolAnswer as ToolAnswerView,
  ToolDetails as ToolDetailsView,
  TurnEndView as TurnEndBody,
} from "./entries/entry-parts.tsx";
import { ToolAnswer, ToolDetails } from "./entries/tool.tsx";
import { Announcer as AnnouncerView } from "./log/announcer.tsx";
import { BackgroundTasks as BackgroundTasksView } from "./log/background-tasks.tsx";
import { Announcer, BackgroundTasks } from "./frame/app.tsx";
import { StatusRow } from "./log/log.tsx";
import { StatusRow as StatusRowView } from "./log/status-row.tsx";
import { OpenQuestion as QuestionView } from "./questions/question.tsx";
import { SettledView } from "./questions/settled.tsx";
import { DiffCounts, DiffView } from "./widgets/diff-parts.ts";
import { keepFocus } from "./widgets/keep-focus.ts";
import { MenuPopup } from "./widgets/menu.tsx";
import { MenuPopup as MenuPopupView } from "./widgets/menu-popup.tsx";
import { DiffCounts as DiffCountsView, DiffView as SmallDiffView } from "./widgets/small-diff.tsx";

/** Puts in place what a conversation does not need to be drawn: a second chunk, asked for with the first one. */
export function fill(): void {
  Announcer.fill(AnnouncerView);
  BackgroundTasks.fill(BackgroundTasksView);
  ComposerChips.fill(ComposerChipsView);
  DiffCounts.fill(DiffCountsView);
  DiffView.fill(SmallDiffView);
  MenuPopup.fill(MenuPopupView);
  ModeNote.fill(ModeNoteView);
  NoticeView.fill(NoticeBody);
  OpenQuestion.fill(QuestionView);
  OptionsRow.fill(OptionsRowView);
  Queue.fill(QueueView);
  PlanView.fill(PlanBody);
  SettledQuestion.fill(SettledView);
  StatusRow.fill(StatusRowView);
  Suggestions.fill(SuggestionList);
  ToolAnswer.fill(ToolAnswerView);
  ToolDetails.fill(ToolDetailsView);
  TurnEndView.fill(TurnEndBody);
  UsageMeter.fill(UsageMeterView);
  keepFocus();
}
