'use strict';
// Keeps the shell, and what was chosen for offline: an episode's page, cover, facts and audio.
const shell = 'shell-{{version}}', kept = 'kept';
const parts = ['/offline', '/assets/style.css?v={{style}}', '/assets/script.js?v={{script}}', '/favicon.svg'];
addEventListener('install', event => event.waitUntil(
  caches.open(shell).then(cache => cache.addAll(parts)).then(() => skipWaiting())));
addEventListener('activate', event => event.waitUntil(
  caches.keys().then(names => Promise.all(names.filter(name => name !== shell && name !== kept).map(name => caches.delete(name)))).then(() => clients.claim())));

// The part of a stored file that a player asks for.
const part = async (stored, range) => {
  const asked = /^bytes=(\d*)-(\d*)$/.exec(range || ''), blob = await stored.blob(), size = blob.size;
  const type = stored.headers.get('content-type') || 'application/octet-stream';
  if (!asked || !asked[1] && !asked[2]) return new Response(blob, { headers: { 'Content-Type': type, 'Content-Length': size, 'Accept-Ranges': 'bytes' } });
  const start = asked[1] ? Number(asked[1]) : Math.max(0, size - Number(asked[2]));
  const end = asked[1] && asked[2] ? Math.min(Number(asked[2]), size - 1) : size - 1;
  if (start > end) return new Response(null, { status: 416, headers: { 'Content-Range': `bytes */${size}` } });
  return new Response(blob.slice(start, end + 1, type), { status: 206, headers: { 'Content-Type': type, 'Content-Length': end + 1 - start, 'Content-Range': `bytes ${start}-${end}/${size}`, 'Accept-Ranges': 'bytes' } });
};
const find = async request => {
  const url = new URL(request.url), cache = await caches.open(kept);
  return await cache.match(url.pathname, { ignoreSearch: true, ignoreVary: true }) || await (await caches.open(shell)).match(request, { ignoreVary: true });
};
addEventListener('fetch', event => {
  const { request } = event, url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== location.origin) return;
  const isPage = request.mode === 'navigate' || (request.headers.get('accept') || '').startsWith('text/html');
  if (url.pathname.startsWith('/media/')) {
    event.respondWith(caches.open(kept).then(cache => cache.match(url.pathname, { ignoreVary: true })).then(stored => stored ? part(stored, request.headers.get('range')) : fetch(request)));
  } else if (url.pathname.startsWith('/assets/')) {
    event.respondWith(find(request).then(stored => stored || fetch(request)));
  } else if (isPage || /^\/(covers|player)\//.test(url.pathname) || url.pathname === '/favicon.svg') {
    event.respondWith(fetch(request).catch(async error => {
      const stored = await find(request) || isPage && await caches.match('/offline', { ignoreVary: true });
      if (!stored) throw error;
      return stored;
    }));
  }
});
