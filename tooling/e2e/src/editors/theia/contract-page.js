// Runs in Theia's page. Takes the frontend's own parts out of its container, so that a backend elsewhere can call them
// and hear what they report, and gives the user's hands that need no pointer.
(() => {
  const container = globalThis.theia.container;
  const keys = [...container._bindingDictionary._map.keys()];
  const named = (name) => {
    const key = keys.find(
      (candidate) => typeof candidate === "function" && candidate.name.replace(/\d+$/, "") === name,
    );
    if (key === undefined) throw new Error(`no service ${name}`);
    return container.get(key);
  };
  const client = named("WindowClient");
  const proposals = named("ProposalEditors");
  const context = named("ContextTracker");
  const attachment = named("WindowAttachment");
  const unsaved = named("UnsavedReports");
  const editors = named("EditorManager");
  const saving = named("SaveableService");
  const shell = named("ApplicationShell");
  const notifications = named("NotificationManager");
  const report = (name, ...args) => void globalThis.patchbayReport(name, args);

  // The frontend's own backend knows nothing of these proposals and would close them.
  attachment.report = async () => {};
  attachment.attachOnce = async () => {};
  // Nor has it an agent, without which nothing of the window would be told.
  attachment.setStatus = () => {};
  context.setWanted(true);
  proposals.onDidDecide(({ id, verdict }) => report("decide", id, verdict));
  proposals.onDidDraft(({ id, text }) => report("notifyDraft", id, text));
  context.onDidChange((picture) => report("notifyContext", picture));
  unsaved.wanted = true;
  unsaved.onDidChange((path) => report("notifyUnsaved", path));
  saving.autoSave = "off";
  new MutationObserver((changes) => {
    const added = changes.flatMap((change) => [...change.addedNodes]);
    if (added.some((node) => node instanceof Element && node.matches(".dialogOverlay"))) report("dialog");
  }).observe(document.body, { childList: true });

  // By what the right side is, and by nothing that a path could say as well.
  const proposalWidgets = (id) =>
    editors.all.filter(({ editor }) => {
      const { scheme, query } = editor.document.resource.uri;
      return scheme === "patchbay-theia-proposal" && query === id;
    });
  const first = (widgets, what) => {
    if (widgets.length === 0) throw new Error(`no editor shows ${what}`);
    return widgets[0].editor;
  };
  const diffOf = (id) => first(proposalWidgets(id), id);
  const fileWidgets = (path) =>
    editors.all.filter(({ editor }) => editor.uri.scheme === "file" && editor.uri.path.fsPath() === path);
  const rangeOf = ({ start, end }) => ({ start, end, direction: "ltr" });
  const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

  const controls = {
    closeFile: (path) => Promise.all(fileWidgets(path).map((widget) => widget.closeWithoutSaving())),
    setCursor: (position) => {
      const { editor } = context.activeEditor;
      editor.selection = rangeOf({ start: position, end: position });
      editor.cursor = position;
    },
    select: (range) => {
      context.activeEditor.editor.selection = rangeOf(range);
    },
    makeDirty: (path, text) => first(fileWidgets(path), path).document.textEditorModel.setValue(text),
    focused: () => document.activeElement?.closest(".lm-DockPanel-widget")?.id ?? document.activeElement?.id ?? "",
    failNextOpen: () => {
      const { openEditor } = proposals;
      proposals.openEditor = async () => {
        proposals.openEditor = openEditor;
        throw new Error("The editor broke.");
      };
    },
    isShown: (id) => proposalWidgets(id).some((widget) => widget.isAttached),
    leftText: (id) => diffOf(id).originalModel.getText(),
    rightText: (id) => diffOf(id).document.getText(),
    type: (id, text) => {
      const { diffEditor, document } = diffOf(id);
      const model = document.textEditorModel;
      const edits = [{ range: model.getFullModelRange(), text }];
      const editor = diffEditor.getModifiedEditor();
      // As keys do: an editor that is read-only takes nothing. One behind another tab has no model.
      if (editor.getModel() !== null) editor.executeEdits("hands", edits);
      else model.pushEditOperations([], edits, () => null);
    },
    reveal: (id) => proposals.reveal(id),
    autosave: async () => {
      saving.autoSave = "afterDelay";
      await pause(1500);
      saving.autoSave = "off";
    },
    closeEverything: async () => {
      notifications.clearAll();
      for (const widget of editors.all) await (widget.closeWithoutSaving?.() ?? widget.close());
      while (shell.mainPanel.widgets().next().value !== undefined) await pause(20);
    },
    refresh: () => context.refresh(),
  };

  globalThis.patchbayContract = {
    call: (name, args) => client[name](...args),
    control: (name, args) => controls[name](...args),
  };
})();
