// @ts-check
// A saved game as a part of an address, and back: compressed, in letters that an address may have.

/** @param {BodyInit} data @param {CompressionStream | DecompressionStream} through */
async function piped(data, through) {
  const body = /** @type {ReadableStream} */ (new Response(data).body);
  return new Response(body.pipeThrough(through));
}

/** @param {string} text @returns {Promise<string>} */
export async function packed(text) {
  const bytes = new Uint8Array(await (await piped(text, new CompressionStream("deflate-raw"))).arrayBuffer());
  const letters = btoa(Array.from(bytes, (each) => String.fromCharCode(each)).join(""));
  return letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {string} letters @returns {Promise<string>} */
export async function unpacked(letters) {
  try {
    const bytes = Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));
    return await (await piped(bytes, new DecompressionStream("deflate-raw"))).text();
  } catch {
    throw new Error("This link is damaged: part of it may be missing.");
  }
}
