// Bundles an app of React, Vue or Angular; the last is compiled in the browser.
import react from "@vitejs/plugin-react";
import vue from "@vitejs/plugin-vue";

export default { base: "./", plugins: [react(), vue()], logLevel: "warn" };
