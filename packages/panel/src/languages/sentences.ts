import { sentenceMark } from "../strings.ts";

/**
 * What Patchbay itself says in conversations: in English, German and Chinese. `{0}` stands for a value, which may be such a
 * sentence again. Conversations are on disk in English, and are shown in the user's language.
 */
export const sentences: readonly (readonly [english: string, german: string, chinese: string])[] = [
  [
    "The agent starts over: it does not remember the messages above.",
    "Der Agent beginnt neu: Er erinnert sich nicht an das, was oben steht.",
    "智能体重新开始：它不记得上面的内容。",
  ],
  [
    "{0} starts over: it does not remember what was said before.",
    "{0} beginnt neu und erinnert sich nicht an das bisher Gesagte.",
    "{0} 重新开始：它不记得之前的内容。",
  ],
  [
    "Claude Code has lost the earlier conversation and starts over.",
    "Claude Code kennt die frühere Unterhaltung nicht mehr und beginnt neu.",
    "Claude Code 已不记得之前的对话，将重新开始。",
  ],
  [
    "The agent has forgotten the conversation up to here.",
    "Der Agent hat die Unterhaltung bis hierher vergessen.",
    "智能体已忘记到此为止的对话。",
  ],
  [
    "The agent has summarised the conversation up to here.",
    "Der Agent hat die Unterhaltung bis hierher zusammengefasst.",
    "智能体已总结到此为止的对话。",
  ],
  [
    "The agent has exited. The conversation is kept.",
    "Der Agent hat sich beendet. Die Unterhaltung bleibt erhalten.",
    "智能体已退出。对话已保留。",
  ],
  ["Claude Code could not continue.", "Claude Code konnte nicht fortfahren.", "Claude Code 无法继续。"],
  [
    "What you have written but not sent could not be saved. {0}",
    "Was Sie geschrieben, aber nicht gesendet haben, konnte nicht gespeichert werden. {0}",
    "您已输入但尚未发送的内容无法保存。{0}",
  ],
  ["Also sent:", "Außerdem gesendet:", "同时发送："],
  ["The conversation is saved again.", "Die Unterhaltung wird wieder gespeichert.", "对话已恢复保存。"],
  [
    "The conversation goes on, but cannot be saved. {0}",
    "Die Unterhaltung geht weiter, kann aber nicht gespeichert werden. {0}",
    "对话可以继续，但无法保存。{0}",
  ],
  [
    "Give yourself write permission there.",
    "Geben Sie sich das Recht, dort zu schreiben.",
    "请为自己授予该位置的写入权限。",
  ],
  [
    "The file system is read-only: make it writable.",
    "Das Dateisystem ist schreibgeschützt: Machen Sie es beschreibbar.",
    "文件系统为只读：请将其设为可写。",
  ],
  ["The disk is full: free some space.", "Der Datenträger ist voll: Schaffen Sie Platz.", "磁盘已满：请释放空间。"],
  [
    "A directory has that name: remove it.",
    "Ein Verzeichnis hat diesen Namen: Entfernen Sie es.",
    "已有同名目录：请将其移除。",
  ],
  [
    "Check that the path is right and its disk is connected.",
    "Prüfen Sie, ob der Pfad stimmt und sein Datenträger da ist.",
    "请检查路径是否正确以及其磁盘是否可用。",
  ],
  [
    "Your text for {0} was not written. It is kept here.",
    "Ihr Text für {0} wurde nicht geschrieben. Er bleibt hier erhalten.",
    "您为 {0} 编写的文本未写入，已保留在此处。",
  ],
  [
    "{0} does not accept images: {1} was not sent.",
    "{0} nimmt keine Bilder an: {1} wurde nicht gesendet.",
    "{0} 不接受图像：{1} 未发送。",
  ],
  ["{0} was told how {1} reads now.", "{0} hat erfahren, wie {1} jetzt lautet.", "已将 {1} 的当前内容告知 {0}。"],
  [
    "{0} needs you to sign in. Sign in, then try again.",
    "{0} verlangt, dass Sie sich anmelden. Melden Sie sich an, und versuchen Sie es erneut.",
    "{0} 需要您登录。请登录后重试。",
  ],
  [
    "The model service did not accept the credentials of {0} ({1}). Sign in again, or check its key.",
    "Der Modelldienst hat die Anmeldedaten von {0} nicht angenommen ({1}). Melden Sie sich neu an, oder prüfen Sie den Schlüssel.",
    "模型服务未接受 {0} 的凭据（{1}）。请重新登录或检查其密钥。",
  ],
  [
    "The model service is not accepting more requests right now (429). Try again later.",
    "Der Modelldienst nimmt zurzeit keine weiteren Anfragen an (429). Versuchen Sie es später erneut.",
    "模型服务目前不再接受请求（429）。请稍后重试。",
  ],
  [
    "The model service failed ({0}). Try again.",
    "Der Modelldienst ist ausgefallen ({0}). Versuchen Sie es erneut.",
    "模型服务出现故障（{0}）。请重试。",
  ],
  [
    "The model service refused the request ({0}).",
    "Der Modelldienst hat die Anfrage abgelehnt ({0}).",
    "模型服务拒绝了请求（{0}）。",
  ],
  [
    "{0} could not finish the turn (error {1}). Try again.",
    "{0} konnte nicht zu Ende arbeiten (Fehler {1}). Versuchen Sie es erneut.",
    "{0} 无法完成本轮（错误 {1}）。请重试。",
  ],
  ["{0} could not finish the turn: {1}", "{0} konnte nicht zu Ende arbeiten: {1}", "{0} 无法完成本轮：{1}"],
  [
    "{0} is not installed. Install it with: {1}",
    "{0} ist nicht installiert. Installieren Sie es mit: {1}",
    "{0} 未安装。安装命令：{1}",
  ],
  ["{0} is not installed.", "{0} ist nicht installiert.", "{0} 未安装。"],
  [
    "{0} is too old for Patchbay. Update it with: {1}",
    "{0} ist zu alt für Patchbay. Aktualisieren Sie es mit: {1}",
    "{0} 对 Patchbay 来说版本过旧。更新命令：{1}",
  ],
  [
    "{0}, which the settings name for {1}, was not found or cannot be run.",
    "{0}, von den Einstellungen für {1} genannt, wurde nicht gefunden oder lässt sich nicht ausführen.",
    "未找到或无法运行设置中为 {1} 指定的 {0}。",
  ],
  ["{0} exited as soon as it was started: {1}", "{0} hat sich beim Start beendet: {1}", "{0} 启动时退出：{1}"],
  ["{0} exited as soon as it was started", "{0} hat sich beim Start beendet.", "{0} 启动时退出。"],
  ["The folder {0} does not exist.", "Den Ordner {0} gibt es nicht.", "文件夹 {0} 不存在。"],
  ["No files have changed since.", "Seitdem wurde keine Datei geändert.", "此后没有文件被更改。"],
  ["Mode", "Modus", "模式"],
  ["Model", "Modell", "模型"],
  ["Effort", "Aufwand", "推理强度"],
  ["Ask before edits", "Vor Änderungen fragen", "编辑前询问"],
  [
    "Asks before it changes files or runs commands.",
    "Fragt, bevor er Dateien ändert oder Befehle ausführt.",
    "在更改文件或运行命令前询问。",
  ],
  ["Edit freely", "Frei ändern", "自由编辑"],
  [
    "Changes files without asking; asks for commands.",
    "Ändert Dateien, ohne zu fragen; fragt vor Befehlen.",
    "更改文件时不询问；运行命令前询问。",
  ],
  ["Plan", "Planen", "计划"],
  [
    "Reads and plans; changes nothing before the plan is accepted.",
    "Liest und plant; ändert nichts, bevor der Plan angenommen ist.",
    "阅读并制定计划；计划被接受前不做任何更改。",
  ],
  ["Auto", "Automatisch", "自动"],
  [
    "A model decides what needs a question; files are changed without one.",
    "Ein Modell entscheidet, wann gefragt wird; Dateien werden ohne Frage geändert.",
    "由模型决定何时需要询问；更改文件时不询问。",
  ],
  ["Never ask", "Nie fragen", "从不询问"],
  [
    "What is not allowed by a rule is refused without a question.",
    "Was keine Regel zulässt, wird ohne Frage abgelehnt.",
    "未被规则允许的操作将直接拒绝，不会询问。",
  ],
  ["No questions", "Keine Fragen", "不询问"],
  ["Everything runs without a question.", "Alles läuft ohne Frage.", "一切操作都不经询问直接运行。"],
  ["Yes", "Ja", "是"],
  ["No", "Nein", "否"],
  ["No: {0}", "Nein: {0}", "否：{0}"],
  [
    "Yes, and always allow {0} in this folder",
    "Ja, und {0} in diesem Ordner immer zulassen",
    "是，并在此文件夹中始终允许 {0}",
  ],
  [
    "Yes, and switch to “{0}” for this session. {1}",
    "Ja, und in dieser Sitzung zu „{0}“ wechseln. {1}",
    "是，并在本次会话中切换到“{0}”。{1}",
  ],
  ["Allow", "Zulassen", "允许"],
  ["Allow for This Folder", "Für diesen Ordner zulassen", "允许此文件夹"],
  ["Reject", "Ablehnen", "拒绝"],
  [
    "{0} writes this file without having asked.",
    "{0} schreibt diese Datei, ohne gefragt zu haben.",
    "{0} 未经询问便要写入此文件。",
  ],
  [
    "{0} reads this file outside the workspace without having asked.",
    "{0} liest diese Datei außerhalb des Arbeitsbereichs, ohne gefragt zu haben.",
    "{0} 未经询问便要读取工作区外的此文件。",
  ],
  [
    "This conversation is open in another window.",
    "Ein anderes Fenster hat diese Unterhaltung.",
    "此对话正在另一个窗口中打开。",
  ],
  ["This turn has not changed the file.", "Diese Runde hat die Datei nicht geändert.", "本轮未更改该文件。"],
  ["This has already been undone.", "Es ist schon rückgängig gemacht.", "已经撤消。"],
  ["This has already been applied.", "Es ist schon angewendet.", "已经应用。"],
  [
    "The earlier content of the file is not known.",
    "Was vorher in der Datei stand, ist nicht bekannt.",
    "不知道该文件之前的内容。",
  ],
  [
    "The earlier content of the file is no longer kept.",
    "Was in der Datei stand, wird nicht mehr aufbewahrt.",
    "该文件的内容已不再保留。",
  ],
  ["The file has been deleted since.", "Die Datei wurde seitdem gelöscht.", "该文件此后已被删除。"],
  [
    "A file of this name has been created since.",
    "Eine Datei dieses Namens wurde seitdem erstellt.",
    "此后已创建同名文件。",
  ],
  [
    "The file has been changed since; delete it yourself if it is not needed.",
    "Die Datei wurde seitdem geändert; löschen Sie sie selbst, wenn sie nicht gebraucht wird.",
    "该文件此后已被更改；如不需要，请自行删除。",
  ],
  ["The same lines have been changed since.", "Dieselben Zeilen wurden seitdem geändert.", "相同的行此后已被更改。"],
  [
    "{0} was changed in the editor just now, and was not written.",
    "{0} wurde eben im Editor geändert und nicht geschrieben.",
    "{0} 刚刚在编辑器中被更改，因此未写入。",
  ],
  [
    "{0} was changed just now, or is not UTF-8 text, and was not written.",
    "{0} wurde eben geändert oder ist kein UTF-8-Text und wurde nicht geschrieben.",
    "{0} 刚刚被更改，或不是 UTF-8 文本，因此未写入。",
  ],
];

/** Those that the page is sent with its texts: the English sentence with the mark, and what is shown for it. */
export function sentencesIn(language: "german" | "chinese"): Readonly<Record<string, string>> {
  return Object.fromEntries(
    sentences.map(([english, german, chinese]) => [sentenceMark + english, language === "german" ? german : chinese]),
  );
}
