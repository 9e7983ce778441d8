import { ServiceConnectionProvider } from "@theia/core/lib/browser/messaging/service-connection-provider";
import type { interfaces } from "@theia/core/shared/inversify";
import { PanelServer, panelServerPath } from "../../common/panel-protocol.ts";
import { PanelActions } from "./panel-actions.ts";
import { PanelConnection, PanelPages } from "./panel-connection.ts";
import type { PanelTab } from "./panel-places.ts";
import { PanelWidget } from "./panel-widget.ts";

/** A page of the panel. With the first one come the services behind it, and their channel to the backend. */
export function createPanelPage(container: interfaces.Container, tab: PanelTab | undefined): PanelWidget {
  if (!container.isBound(PanelServer)) {
    for (const service of [PanelActions, PanelConnection, PanelPages]) {
      container.bind<unknown>(service).toSelf().inSingletonScope();
    }
    container.bind(PanelWidget).toSelf();
    container
      .bind(PanelServer)
      .toDynamicValue(() =>
        ServiceConnectionProvider.createProxy<PanelServer>(container, panelServerPath, container.get(PanelActions)),
      )
      .inSingletonScope();
  }
  return container.get(PanelWidget).setUp(tab);
}
