/** What a browser lacks: colours and fonts, light or dark as the system is, and with high contrast where it is wanted. */
export const browserTheme = `:root {
  color-scheme: light;
  --vscode-font-family:system-ui,"DejaVu Sans",sans-serif;
  --vscode-font-size:13px;
  --vscode-editor-font-family:"DejaVu Sans Mono",monospace;
  --vscode-editor-font-size:12px;
  --vscode-foreground:#3b3b3b;
  --vscode-descriptionForeground:#616161;
  --vscode-errorForeground:#d1242f;
  --vscode-focusBorder:#005fb8;
  --vscode-icon-foreground:#3b3b3b;
  --vscode-editor-background:#fff;
  --vscode-editor-foreground:#3b3b3b;
  --vscode-sideBar-background:#f8f8f8;
  --vscode-sideBarSectionHeader-border:#e5e5e5;
  --vscode-input-background:#fff;
  --vscode-input-foreground:#3b3b3b;
  --vscode-input-border:#cecece;
  --vscode-input-placeholderForeground:#767676;
  --vscode-button-background:#005fb8;
  --vscode-button-foreground:#fff;
  --vscode-button-hoverBackground:#0258a8;
  --vscode-button-border:#0000001a;
  --vscode-button-secondaryBackground:#e5e5e5;
  --vscode-button-secondaryForeground:#3b3b3b;
  --vscode-button-secondaryHoverBackground:#ccc;
  --vscode-widget-border:#e5e5e5;
  --vscode-widget-shadow:#00000029;
  --vscode-editorWidget-background:#f8f8f8;
  --vscode-editorWidget-foreground:#3b3b3b;
  --vscode-textLink-foreground:#005fb8;
  --vscode-textLink-activeForeground:#005fb8;
  --vscode-textCodeBlock-background:#f8f8f8;
  --vscode-textPreformat-foreground:#3b3b3b;
  --vscode-textPreformat-background:#0000001f;
  --vscode-textBlockQuote-background:#f8f8f8;
  --vscode-textBlockQuote-border:#e5e5e5;
  --vscode-toolbar-hoverBackground:#b8b8b850;
  --vscode-toolbar-activeBackground:#a6a6a650;
  --vscode-list-hoverBackground:#f2f2f2;
  --vscode-list-inactiveSelectionBackground:#e4e6f1;
  --vscode-badge-background:#ccc;
  --vscode-badge-foreground:#3b3b3b;
  --vscode-activityBarBadge-background:#005fb8;
  --vscode-activityBarBadge-foreground:#fff;
  --vscode-menu-background:#fff;
  --vscode-menu-foreground:#3b3b3b;
  --vscode-menu-border:#cecece;
  --vscode-menu-selectionBackground:#005fb8;
  --vscode-menu-selectionForeground:#fff;
  --vscode-progressBar-background:#005fb8;
  --vscode-editorWarning-foreground:#bf8803;
  --vscode-editorInfo-foreground:#0063d3;
  --vscode-notificationsWarningIcon-foreground:#bf8803;
  --vscode-notificationsErrorIcon-foreground:#e51400;
  --vscode-notificationsInfoIcon-foreground:#0063d3;
  --vscode-diffEditor-insertedLineBackground:#9bb95533;
  --vscode-diffEditor-removedLineBackground:#ff000033;
  --vscode-editorLineNumber-foreground:#6e7681;
  --vscode-gitDecoration-addedResourceForeground:#587c0c;
  --vscode-gitDecoration-deletedResourceForeground:#ad0707;
  --vscode-testing-iconPassed:#388a34;
  --vscode-debugTokenExpression-name:#9b46b0;
  --vscode-debugTokenExpression-string:#a31515;
  --vscode-debugTokenExpression-number:#098658;
  --vscode-debugTokenExpression-error:#e51400;
  --vscode-symbolIcon-functionForeground:#652d90;
  --vscode-symbolIcon-classForeground:#b05700;
  --vscode-symbolIcon-variableForeground:#007acc;
  --vscode-chat-requestBorder:#0000001a;
  --vscode-chat-requestBackground:#ffffff9e;
  --vscode-editor-findMatchHighlightBackground:#ea5c0055;
  --vscode-inputValidation-warningBackground:#f6f5d2;
  --vscode-inputValidation-warningBorder:#b89500;
  --vscode-inputValidation-errorBorder:#be1100;
  --vscode-tree-indentGuidesStroke:#a9a9a9;
}
@media (prefers-color-scheme: dark) {
:root {
  color-scheme: dark;
  --vscode-foreground:#ccc;
  --vscode-descriptionForeground:#9d9d9d;
  --vscode-errorForeground:#f85149;
  --vscode-focusBorder:#0078d4;
  --vscode-icon-foreground:#ccc;
  --vscode-editor-background:#1f1f1f;
  --vscode-editor-foreground:#ccc;
  --vscode-sideBar-background:#181818;
  --vscode-sideBarSectionHeader-border:#2b2b2b;
  --vscode-input-background:#313131;
  --vscode-input-foreground:#ccc;
  --vscode-input-border:#3c3c3c;
  --vscode-input-placeholderForeground:#989898;
  --vscode-button-background:#0078d4;
  --vscode-button-foreground:#fff;
  --vscode-button-hoverBackground:#026ec1;
  --vscode-button-border:#ffffff12;
  --vscode-button-secondaryBackground:#313131;
  --vscode-button-secondaryForeground:#ccc;
  --vscode-button-secondaryHoverBackground:#3c3c3c;
  --vscode-widget-border:#313131;
  --vscode-widget-shadow:#0000005c;
  --vscode-editorWidget-background:#202020;
  --vscode-editorWidget-foreground:#ccc;
  --vscode-textLink-foreground:#4daafc;
  --vscode-textLink-activeForeground:#4daafc;
  --vscode-textCodeBlock-background:#2b2b2b;
  --vscode-textPreformat-foreground:#d0d0d0;
  --vscode-textPreformat-background:#3c3c3c;
  --vscode-textBlockQuote-background:#2b2b2b;
  --vscode-textBlockQuote-border:#616161;
  --vscode-textSeparator-foreground:#21262d;
  --vscode-toolbar-hoverBackground:#5a5d5e50;
  --vscode-toolbar-activeBackground:#63666750;
  --vscode-list-hoverBackground:#2a2d2e;
  --vscode-list-inactiveSelectionBackground:#37373d;
  --vscode-badge-background:#616161;
  --vscode-badge-foreground:#f8f8f8;
  --vscode-activityBarBadge-background:#0078d4;
  --vscode-activityBarBadge-foreground:#fff;
  --vscode-menu-background:#1f1f1f;
  --vscode-menu-foreground:#ccc;
  --vscode-menu-border:#454545;
  --vscode-menu-selectionBackground:#0078d4;
  --vscode-menu-selectionForeground:#fff;
  --vscode-progressBar-background:#0078d4;
  --vscode-editorWarning-foreground:#cca700;
  --vscode-editorInfo-foreground:#3794ff;
  --vscode-notificationsWarningIcon-foreground:#cca700;
  --vscode-notificationsErrorIcon-foreground:#f14c4c;
  --vscode-notificationsInfoIcon-foreground:#3794ff;
  --vscode-diffEditor-insertedLineBackground:#9bb95533;
  --vscode-diffEditor-removedLineBackground:#ff000033;
  --vscode-editorLineNumber-foreground:#6e7681;
  --vscode-gitDecoration-addedResourceForeground:#81b88b;
  --vscode-gitDecoration-deletedResourceForeground:#c74e39;
  --vscode-testing-iconPassed:#73c991;
  --vscode-debugTokenExpression-name:#c586c0;
  --vscode-debugTokenExpression-string:#ce9178;
  --vscode-debugTokenExpression-number:#b5cea8;
  --vscode-debugTokenExpression-error:#f48771;
  --vscode-symbolIcon-functionForeground:#b180d7;
  --vscode-symbolIcon-classForeground:#ee9d28;
  --vscode-symbolIcon-variableForeground:#75beff;
  --vscode-chat-requestBorder:#ffffff1a;
  --vscode-chat-requestBackground:#1f1f1f9e;
  --vscode-editor-findMatchHighlightBackground:#ea5c0055;
  --vscode-inputValidation-warningBackground:#352a05;
  --vscode-inputValidation-warningBorder:#b89500;
  --vscode-inputValidation-errorBorder:#be1100;
  --vscode-tree-indentGuidesStroke:#585858;
}
}
@media (prefers-contrast: more) {
:root {
  color-scheme: dark;
  --vscode-foreground:#fff;
  --vscode-descriptionForeground:#ffffffb3;
  --vscode-errorForeground:#f48771;
  --vscode-focusBorder:#f38518;
  --vscode-icon-foreground:#fff;
  --vscode-contrastBorder:#6fc3df;
  --vscode-contrastActiveBorder:#f38518;
  --vscode-editor-background:#000;
  --vscode-editor-foreground:#fff;
  --vscode-sideBar-background:#000;
  --vscode-sideBarSectionHeader-border:#6fc3df;
  --vscode-input-background:#000;
  --vscode-input-foreground:#fff;
  --vscode-input-border:#6fc3df;
  --vscode-input-placeholderForeground:#ffffffb3;
  --vscode-button-background:#000;
  --vscode-button-foreground:#fff;
  --vscode-button-hoverBackground:#000;
  --vscode-button-border:#6fc3df;
  --vscode-button-secondaryForeground:#fff;
  --vscode-widget-border:#6fc3df;
  --vscode-editorWidget-background:#0c141f;
  --vscode-editorWidget-foreground:#fff;
  --vscode-textLink-foreground:#21a6ff;
  --vscode-textLink-activeForeground:#21a6ff;
  --vscode-textCodeBlock-background:#000;
  --vscode-textPreformat-foreground:#000;
  --vscode-textPreformat-background:#fff;
  --vscode-textBlockQuote-border:#fff;
  --vscode-textSeparator-foreground:#000;
  --vscode-badge-background:#000;
  --vscode-badge-foreground:#fff;
  --vscode-activityBarBadge-background:#000;
  --vscode-activityBarBadge-foreground:#fff;
  --vscode-menu-background:#000;
  --vscode-menu-foreground:#fff;
  --vscode-menu-border:#6fc3df;
  --vscode-progressBar-background:#6fc3df;
  --vscode-editorWarning-foreground:#ffd370;
  --vscode-editorInfo-foreground:#3794ff;
  --vscode-notificationsWarningIcon-foreground:#ffd370;
  --vscode-notificationsErrorIcon-foreground:#f48771;
  --vscode-notificationsInfoIcon-foreground:#3794ff;
  --vscode-editorLineNumber-foreground:#fff;
  --vscode-gitDecoration-addedResourceForeground:#a1e3ad;
  --vscode-gitDecoration-deletedResourceForeground:#c74e39;
  --vscode-testing-iconPassed:#73c991;
  --vscode-debugTokenExpression-name:#fff;
  --vscode-debugTokenExpression-string:#f48771;
  --vscode-debugTokenExpression-number:#89d185;
  --vscode-debugTokenExpression-error:#f48771;
  --vscode-symbolIcon-functionForeground:#b180d7;
  --vscode-symbolIcon-classForeground:#ee9d28;
  --vscode-symbolIcon-variableForeground:#75beff;
  --vscode-inputValidation-warningBackground:#332b00;
  --vscode-inputValidation-warningBorder:#6fc3df;
  --vscode-inputValidation-errorBorder:#6fc3df;
  --vscode-tree-indentGuidesStroke:#a9a9a9;
}
}
.connection {
  position: fixed;
  z-index: 20;
  inset: 0 0 auto;
  padding: 6px 12px;
  text-align: center;
  color: var(--vscode-foreground);
  background: var(--vscode-inputValidation-warningBackground);
  border-bottom: 1px solid var(--vscode-inputValidation-warningBorder);
}
.connection[hidden] { display: none; }
.shell {
  max-width: min(900px, 90vw);
  max-height: 80vh;
  padding: 12px 16px;
  overflow: auto;
  color: var(--vscode-foreground);
  background: var(--vscode-editorWidget-background);
  border: 1px solid var(--vscode-widget-border);
  border-radius: 6px;
}
.shell pre { overflow: auto; max-height: 60vh; font: var(--vscode-editor-font-size) var(--vscode-editor-font-family); white-space: pre-wrap; }
.shell h2 { margin: 0 0 8px; font-size: 1.1em; }
.shell div { display: flex; gap: 8px; justify-content: end; }
.shell.agent { width: min(560px, 90vw); }
.shell label { display: grid; gap: 4px; margin-block: 10px 4px; }
.shell .agent-answered, .shell .agent-failed { display: block; margin-block: 10px; padding: 6px 10px; border-inline-start: 3px solid var(--vscode-testing-iconPassed); }
.shell .agent-failed { border-color: var(--vscode-notificationsErrorIcon-foreground); }
.shell.agent pre { max-height: 30vh; margin: 4px 0 0; }
.shell.agent form > div:last-child { margin-block-start: 14px; flex-wrap: wrap; }
.shell.tell { position: fixed; z-index: 20; inset: auto 0 24px; margin: 0 auto; white-space: pre-wrap; }
`;
