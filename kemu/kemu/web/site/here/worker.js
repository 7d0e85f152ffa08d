// @ts-check
// Thinks beside the page, so that the page stays awake: first the module, then jobs (search.js), one after another.

import { searched } from "./search.js";

/** @type {Promise<any>} */
let made;

onmessage = async ({ data }) => {
  if (data.binary) {
    made = WebAssembly.instantiate(data.binary);
    return;
  }
  const { instance } = await made;
  postMessage(searched(instance.exports, data.job));
};
