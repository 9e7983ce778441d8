/**
 * What Patchbay itself says in conversations, in German. `{0}` stands for a value, which may be such a sentence again.
 * Conversations are on disk in English, and are shown in the user's language.
 */
export const germanSentences: readonly (readonly [english: string, own: string])[] = [
  [
    "The agent starts over: it does not remember the messages above.",
    "Der Agent beginnt neu: Er erinnert sich nicht an das, was oben steht.",
  ],
  [
    "{0} starts over: it does not remember what was said before.",
    "{0} beginnt neu und erinnert sich nicht an das bisher Gesagte.",
  ],
  [
    "Claude Code has lost the earlier conversation and starts over.",
    "Claude Code kennt die frühere Unterhaltung nicht mehr und beginnt neu.",
  ],
  ["The agent has forgotten the conversation up to here.", "Der Agent hat die Unterhaltung bis hierher vergessen."],
  [
    "The agent has summarised the conversation up to here.",
    "Der Agent hat die Unterhaltung bis hierher zusammengefasst.",
  ],
  ["The agent has exited. The conversation is kept.", "Der Agent hat sich beendet. Die Unterhaltung bleibt erhalten."],
  ["Claude Code could not continue.", "Claude Code konnte nicht fortfahren."],
  [
    "What you have written but not sent could not be saved. {0}",
    "Was Sie geschrieben, aber nicht gesendet haben, konnte nicht gespeichert werden. {0}",
  ],
  ["Also sent:", "Außerdem gesendet:"],
  ["The conversation is saved again.", "Die Unterhaltung wird wieder gespeichert."],
  [
    "The conversation goes on, but cannot be saved. {0}",
    "Die Unterhaltung geht weiter, kann aber nicht gespeichert werden. {0}",
  ],
  ["Give yourself write permission there.", "Geben Sie sich das Recht, dort zu schreiben."],
  [
    "The file system is read-only: make it writable.",
    "Das Dateisystem ist schreibgeschützt: Machen Sie es beschreibbar.",
  ],
  ["The disk is full: free some space.", "Der Datenträger ist voll: Schaffen Sie Platz."],
  ["A directory has that name: remove it.", "Ein Verzeichnis hat diesen Namen: Entfernen Sie es."],
  [
    "Check that the path is right and its disk is connected.",
    "Prüfen Sie, ob der Pfad stimmt und sein Datenträger da ist.",
  ],
  [
    "Your text for {0} was not written. It is kept here.",
    "Ihr Text für {0} wurde nicht geschrieben. Er bleibt hier erhalten.",
  ],
  ["{0} does not accept images: {1} was not sent.", "{0} nimmt keine Bilder an: {1} wurde nicht gesendet."],
  ["{0} was told how {1} reads now.", "{0} hat erfahren, wie {1} jetzt lautet."],
  [
    "{0} needs you to sign in. Sign in, then try again.",
    "{0} verlangt, dass Sie sich anmelden. Melden Sie sich an, und versuchen Sie es erneut.",
  ],
  [
    "The model service did not accept the credentials of {0} ({1}). Sign in again, or check its key.",
    "Der Modelldienst hat die Anmeldedaten von {0} nicht angenommen ({1}). Melden Sie sich neu an, oder prüfen Sie den Schlüssel.",
  ],
  [
    "The model service is not accepting more requests right now (429). Try again later.",
    "Der Modelldienst nimmt zurzeit keine weiteren Anfragen an (429). Versuchen Sie es später erneut.",
  ],
  ["The model service failed ({0}). Try again.", "Der Modelldienst ist ausgefallen ({0}). Versuchen Sie es erneut."],
  ["The model service refused the request ({0}).", "Der Modelldienst hat die Anfrage abgelehnt ({0})."],
  [
    "{0} could not finish the turn (error {1}). Try again.",
    "{0} konnte nicht zu Ende arbeiten (Fehler {1}). Versuchen Sie es erneut.",
  ],
  ["{0} could not finish the turn: {1}", "{0} konnte nicht zu Ende arbeiten: {1}"],
  ["{0} is not installed. Install it with: {1}", "{0} ist nicht installiert. Installieren Sie es mit: {1}"],
  ["{0} is not installed.", "{0} ist nicht installiert."],
  ["{0} is too old for Patchbay. Update it with: {1}", "{0} ist zu alt für Patchbay. Aktualisieren Sie es mit: {1}"],
  [
    "{0}, which the settings name for {1}, was not found or cannot be run.",
    "{0}, von den Einstellungen für {1} genannt, wurde nicht gefunden oder lässt sich nicht ausführen.",
  ],
  ["{0} exited as soon as it was started: {1}", "{0} hat sich beim Start beendet: {1}"],
  ["{0} exited as soon as it was started", "{0} hat sich beim Start beendet."],
  ["The folder {0} does not exist.", "Den Ordner {0} gibt es nicht."],
  ["No files have changed since.", "Seitdem wurde keine Datei geändert."],
  ["Mode", "Modus"],
  ["Model", "Modell"],
  ["Effort", "Aufwand"],
  ["Ask before edits", "Vor Änderungen fragen"],
  ["Asks before it changes files or runs commands.", "Fragt, bevor er Dateien ändert oder Befehle ausführt."],
  ["Edit freely", "Frei ändern"],
  ["Changes files without asking; asks for commands.", "Ändert Dateien, ohne zu fragen; fragt vor Befehlen."],
  ["Plan", "Planen"],
  [
    "Reads and plans; changes nothing before the plan is accepted.",
    "Liest und plant; ändert nichts, bevor der Plan angenommen ist.",
  ],
  ["Auto", "Automatisch"],
  [
    "A model decides what needs a question; files are changed without one.",
    "Ein Modell entscheidet, wann gefragt wird; Dateien werden ohne Frage geändert.",
  ],
  ["Never ask", "Nie fragen"],
  [
    "What is not allowed by a rule is refused without a question.",
    "Was keine Regel zulässt, wird ohne Frage abgelehnt.",
  ],
  ["No questions", "Keine Fragen"],
  ["Everything runs without a question.", "Alles läuft ohne Frage."],
  ["Yes", "Ja"],
  ["No", "Nein"],
  ["No: {0}", "Nein: {0}"],
  ["Yes, and always allow {0} in this folder", "Ja, und {0} in diesem Ordner immer zulassen"],
  ["Yes, and switch to “{0}” for this session. {1}", "Ja, und in dieser Sitzung zu „{0}“ wechseln. {1}"],
  ["Allow", "Zulassen"],
  ["Allow for This Folder", "Für diesen Ordner zulassen"],
  ["Reject", "Ablehnen"],
  ["{0} writes this file without having asked.", "{0} schreibt diese Datei, ohne gefragt zu haben."],
  [
    "{0} reads this file outside the workspace without having asked.",
    "{0} liest diese Datei außerhalb des Arbeitsbereichs, ohne gefragt zu haben.",
  ],
  ["This conversation is open in another window.", "Ein anderes Fenster hat diese Unterhaltung."],
  ["This turn has not changed the file.", "Diese Runde hat die Datei nicht geändert."],
  ["This has already been undone.", "Es ist schon rückgängig gemacht."],
  ["This has already been applied.", "Es ist schon angewendet."],
  ["The earlier content of the file is not known.", "Was vorher in der Datei stand, ist nicht bekannt."],
  ["The earlier content of the file is no longer kept.", "Was in der Datei stand, wird nicht mehr aufbewahrt."],
  ["The file has been deleted since.", "Die Datei wurde seitdem gelöscht."],
  ["A file of this name has been created since.", "Eine Datei dieses Namens wurde seitdem erstellt."],
  [
    "The file has been changed since; delete it yourself if it is not needed.",
    "Die Datei wurde seitdem geändert; löschen Sie sie selbst, wenn sie nicht gebraucht wird.",
  ],
  ["The same lines have been changed since.", "Dieselben Zeilen wurden seitdem geändert."],
  [
    "{0} was changed in the editor just now, and was not written.",
    "{0} wurde eben im Editor geändert und nicht geschrieben.",
  ],
  [
    "{0} was changed just now, or is not UTF-8 text, and was not written.",
    "{0} wurde eben geändert oder ist kein UTF-8-Text und wurde nicht geschrieben.",
  ],
  ["There is no file {0}.", "Es gibt keine Datei {0}."],
  [
    "You have used {0} of the 5-hour limit of your plan. It resets at {1}.",
    "Sie haben {0} des 5-Stunden-Limits Ihres Tarifs verbraucht. Es wird um {1} zurückgesetzt.",
  ],
  [
    "You have used {0} of the weekly limit of your plan. It resets at {1}.",
    "Sie haben {0} des Wochenlimits Ihres Tarifs verbraucht. Es wird zurückgesetzt: {1}.",
  ],
  [
    "You have used {0} of the 5-hour limit of your plan.",
    "Sie haben {0} des 5-Stunden-Limits Ihres Tarifs verbraucht.",
  ],
  ["You have used {0} of the weekly limit of your plan.", "Sie haben {0} des Wochenlimits Ihres Tarifs verbraucht."],
  [
    "The limit of your plan is used up. From now on you pay for extra usage.",
    "Das Limit Ihres Tarifs ist aufgebraucht. Von nun an zahlen Sie für zusätzliche Nutzung.",
  ],
];
