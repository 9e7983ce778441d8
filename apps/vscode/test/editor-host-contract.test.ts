import { describe, it } from "vitest";
import { editorHostContract } from "@patchbay/testkit";
import { createControls } from "./controls.ts";

editorHostContract({ runner: { describe, it }, create: createControls });
