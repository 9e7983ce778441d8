import { BackendApplicationContribution } from "@theia/core/lib/node/backend-application";
import { LocalizationContribution } from "@theia/core/lib/node/i18n/localization-contribution";
import { ConnectionContainerModule } from "@theia/core/lib/node/messaging/connection-container-module";
import { ConnectionHandler } from "@theia/core/lib/common/messaging/handler";
import { RpcConnectionHandler } from "@theia/core/lib/common/messaging/proxy-factory";
import { ContainerModule } from "@theia/core/shared/inversify";
import { bindPreferences } from "../common/preferences.ts";
import { panelServerPath, type PanelWindow } from "../common/panel-protocol.ts";
import { patchbayServerPath, type PatchbayWindow } from "../common/protocol.ts";
import { PatchbayLocalizations } from "./languages/localizations.ts";
import { ConnectedWindow } from "./panel-service.ts";
import { PatchbayBackend } from "./patchbay-backend.ts";

const connectionModule: ContainerModule = ConnectionContainerModule.create(({ bind }) => {
  bind(ConnectionHandler)
    .toDynamicValue(
      ({ container }) =>
        new RpcConnectionHandler<PatchbayWindow>(patchbayServerPath, (window) => {
          const service = container.get(PatchbayBackend).connect(window);
          container.get(ConnectedWindow).client = window;
          window.onDidCloseConnection(() => service.dispose());
          return service;
        }),
    )
    .inSingletonScope();
  // One for each connection: by it a panel knows whose it is.
  bind(ConnectedWindow)
    .toDynamicValue(() => new ConnectedWindow())
    .inSingletonScope();
  bind(ConnectionHandler)
    .toDynamicValue(
      ({ container }) =>
        new RpcConnectionHandler<PanelWindow>(panelServerPath, (window) => {
          const service = container.get(PatchbayBackend).connectPanel(window, container.get(ConnectedWindow));
          window.onDidCloseConnection(() => service.dispose());
          return service;
        }),
    )
    .inSingletonScope();
});

const backendModule: ContainerModule = new ContainerModule((bind) => {
  bind(PatchbayBackend).toSelf().inSingletonScope();
  bind(BackendApplicationContribution).toService(PatchbayBackend);
  bind(ConnectionContainerModule).toConstantValue(connectionModule);
  bind(LocalizationContribution).to(PatchbayLocalizations).inSingletonScope();
  bindPreferences(bind);
});

export default backendModule;
