import { BackendApplicationContribution } from "@theia/core/lib/node/backend-application";
import { ConnectionContainerModule } from "@theia/core/lib/node/messaging/connection-container-module";
import { ConnectionHandler } from "@theia/core/lib/common/messaging/handler";
import { RpcConnectionHandler } from "@theia/core/lib/common/messaging/proxy-factory";
import { ContainerModule } from "@theia/core/shared/inversify";
import { bindPreferences } from "../common/preferences.ts";
import { patchbayServerPath, type PatchbayWindow } from "../common/protocol.ts";
import { PatchbayBackend } from "./patchbay-backend.ts";

const connectionModule: ContainerModule = ConnectionContainerModule.create(({ bind }) => {
  bind(ConnectionHandler)
    .toDynamicValue(
      ({ container }) =>
        new RpcConnectionHandler<PatchbayWindow>(patchbayServerPath, (window) => {
          const service = container.get(PatchbayBackend).connect(window);
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
  bindPreferences(bind);
});

export default backendModule;
