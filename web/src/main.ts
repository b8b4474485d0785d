import { App } from "./app";
import { followSystemTheme } from "./theme";

followSystemTheme();
const root = document.getElementById("app");
if (root !== null) void new App(root).run();
