import { CommandFiles, RestoringView, TurnBar } from "./entries/changes-parts.ts";
import { ChangesBar } from "./frame/app.tsx";
import { CommandFiles as CommandFilesView } from "./turns/command-files.tsx";
import { ChangesBar as ChangesBarView, TurnBar as TurnBarView } from "./turns/changes-bar.tsx";
import { RestoringView as RestoringBody } from "./turns/restoring.tsx";

/** Puts in place what shows what turns did to the files: a fourth chunk, asked for with the others. */
export function fill(): void {
  ChangesBar.fill(ChangesBarView);
  CommandFiles.fill(CommandFilesView);
  RestoringView.fill(RestoringBody);
  TurnBar.fill(TurnBarView);
}
