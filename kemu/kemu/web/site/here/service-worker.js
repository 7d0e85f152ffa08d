// @ts-check
// Keeps the exported page in the browser, so that it is there without a network. The key and the files are written
// in when a game is exported (web/export.py).

const KEY = `kemu-${"KEY"}`;
const FILES = [/* FILES */];
const LATER = [/* LATER */]; // of other numbers of players: kept when they are asked for
const self_ = /** @type {any} */ (self);

self_.addEventListener("install", (/** @type {any} */ event) => {
  self_.skipWaiting();
  event.waitUntil(caches.open(KEY).then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" })))));
});

self_.addEventListener("activate", (/** @type {any} */ event) => {
  event.waitUntil((async () => {
    const own = await caches.open(KEY);
    const here = (await own.keys()).map((request) => request.url);
    for (const key of await caches.keys()) {
      const cache = await caches.open(key); // of another export to the same place; other games keep theirs
      if (key !== KEY && key.startsWith("kemu-") && (await cache.keys()).some((request) => here.includes(request.url))) {
        await caches.delete(key);
      }
    }
    await self_.clients.claim();
  })());
});

/** What is not kept; what is to be kept from now on is the newest, and used also where there is no room to keep it.
 *  @param {Request} request */
async function fetched(request) {
  const later = LATER.some((/** @type {string} */ file) => new URL(file, self_.registration.scope).href === request.url);
  const found = await fetch(request, later ? { cache: "reload" } : {});
  if (later && found.ok) await (await caches.open(KEY)).put(request, found.clone()).catch(() => {});
  return found;
}

self_.addEventListener("fetch", (/** @type {any} */ event) => {
  if (event.request.method !== "GET") return;
  event.respondWith(caches.open(KEY)
    .then((cache) => cache.match(event.request, { ignoreSearch: true }))
    .then((kept) => kept ?? fetched(event.request)));
});
