'use strict';
(() => {
const $ = (q, e = document) => e.querySelector(q), $$ = (q, e = document) => [...e.querySelectorAll(q)];
const main = () => $('#main'), audio = $('#audio'), player = $('#player');
document.documentElement.classList.add('scripted');
const tell = text => { const t = $('#told'); t.textContent = text; t.classList.toggle('shown', !!text); clearTimeout(tell.timer); if (text) tell.timer = setTimeout(() => t.classList.remove('shown'), 4000); };
const clock = s => { s = Math.max(0, Math.floor(s || 0)); const h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60, r = String(s % 60).padStart(2, '0'); return h ? `${h}:${String(m).padStart(2, '0')}:${r}` : `${m}:${r}`; };
const icon = name => `<svg class="i" aria-hidden="true"><use href="#i-${name}"></use></svg>`;

// Pages: links and forms replace what is in main, so that the player goes on.
let visit = 0;
const place = el => { const row = el && el.closest('.row,[data-key]'); return { key: row && (row.dataset.episode || row.dataset.key), k: el && el.dataset.k, move: el && el.dataset.move, index: row ? $$('.row', main()).indexOf(row.closest('.row')) : -1, id: el && el.id }; };
const restore = p => {
  if (!p) return;
  const row = p.key && ($(`.row[data-episode="${CSS.escape(p.key)}"]`, main()) || $(`[data-key="${CSS.escape(p.key)}"]`, main()));
  const target = p.id && document.getElementById(p.id) || row && (p.k && $(`[data-k="${p.k}"]`, row) || p.move && $(`[data-move="${p.move}"]:not(:disabled)`, row) || $('h3 a, button:not(:disabled), a', row));
  const rows = $$('.row', main());
  (target || p.index >= 0 && rows.length && $('h3 a', rows[Math.min(p.index, rows.length - 1)]) || main()).focus({ preventScroll: !!target });
};
const show = (html, url, { part, focus, push, keep } = {}) => {
  const page = new DOMParser().parseFromString(html, 'text/html');
  const fresh = $(part || '#main', page), old = $(part || '#main');
  if (!fresh || !old) { location.href = url; return; }
  const open = $$('details', old).map(d => d.open);
  old.replaceWith(document.importNode(fresh, true));
  if (keep) $$('details', $(part || '#main')).forEach((d, i) => { if (open[i] !== undefined) d.open = open[i]; });
  document.title = page.title;
  const here = $$('.top ul a', page);
  $$('.top ul a').forEach((a, i) => here[i] && here[i].hasAttribute('aria-current') ? a.setAttribute('aria-current', 'page') : a.removeAttribute('aria-current'));
  if (push === true) history.pushState(null, '', url); else if (push === false) history.replaceState(null, '', url);
  if (!keep && !part) { scrollTo(0, 0); ($('[autofocus]', main()) || main()).focus({ preventScroll: true }); } else restore(focus);
  arrived();
};
const go = async (url, options = {}) => {
  const number = ++visit;
  try {
    const answer = await fetch(url, { headers: { Accept: 'text/html' }, ...options.request });
    if (number !== visit) return;
    const html = await answer.text();
    if (number !== visit) return;
    if (!/^text\/html/.test(answer.headers.get('content-type') || '')) { location.href = url; return; }
    show(html, answer.url, options);
  } catch (error) { if (number === visit) tell('The server does not answer.'); }
};
const ours = a => a.origin === location.origin && !a.hasAttribute('download') && !a.target && !('plain' in a.dataset) && !/^\/(media|assets|feeds|api)\//.test(a.pathname);
document.addEventListener('click', event => {
  if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const act = event.target.closest('[data-act]');
  if (act) { event.preventDefault(); acts[act.dataset.act](); return; }
  const play = event.target.closest('[data-play]');
  if (play) { event.preventDefault(); start(play.dataset.play, play.dataset.at); return; }
  const a = event.target.closest('a[href]');
  if (!a || !ours(a)) return;
  if (a.pathname === location.pathname && a.search === location.search && a.hash) return;
  event.preventDefault();
  go(a.href, { push: true });
});
document.addEventListener('submit', event => {
  const form = event.target;
  if ('plain' in form.dataset || form.method === 'dialog') return;
  event.preventDefault();
  const fields = new URLSearchParams(new FormData(form, event.submitter));
  if (form.method === 'get') { go(`${form.action}?${fields}`, { push: true, part: form.dataset.live }); return; }
  const was = place(event.submitter || document.activeElement);
  const stays = new URL(form.action).pathname !== '/subscribe' && fields.get('do') !== 'unsubscribe';
  go(form.action, { request: { method: 'POST', body: fields }, push: stays ? false : true, keep: stays, focus: was });
});
addEventListener('popstate', () => go(location.href));

// Search as one types.
let typing;
document.addEventListener('input', event => {
  const form = event.target.closest('form[data-live]');
  if (!form) return;
  clearTimeout(typing);
  typing = setTimeout(() => {
    const fields = new URLSearchParams(new FormData(form));
    go(`${form.action}?${fields}`, { part: form.dataset.live, push: false });
  }, 120);
});

// The player.
let now = null, queueing = null, told = 0, sleep = null;
const json = (url, options) => fetch(url, { headers: { Accept: 'application/json' }, ...options }).then(a => a.status === 204 ? null : a.ok ? a.json() : Promise.reject(a.status));
const load = (episode, at) => {
  now = episode;
  player.hidden = false;
  document.documentElement.classList.add('plays');
  audio.src = `/media/${episode.id}`;
  audio.playbackRate = audio.defaultPlaybackRate = Number($('#p-speed').value);
  const title = $('#p-title'), podcast = $('#p-podcast');
  title.textContent = episode.title; title.href = $('#p-cover').href = `/episodes/${episode.id}`;
  podcast.textContent = episode.podcastTitle; podcast.href = `/podcasts/${episode.podcastID}`;
  $('#p-cover img').src = `/covers/${episode.podcastID}`;
  const chapters = episode.chapters || [];
  $('.more .chapters').hidden = !chapters.length;
  $('#p-chapters').replaceChildren(...chapters.map(c => new Option(`${clock(c.start)} ${c.title || ''}`, c.start)));
  queueing = at ?? (episode.position && episode.position < (episode.duration || Infinity) - 5 ? episode.position : 0);
  if (queueing) audio.currentTime = queueing;
  draw();
  if ('mediaSession' in navigator) {
    navigator.mediaSession.metadata = new MediaMetadata({ title: episode.title, artist: episode.podcastTitle, artwork: [{ src: `/covers/${episode.podcastID}?size=large`, sizes: '512x512' }] });
  }
  mark();
};
const start = async (id, at) => {
  at = at === undefined || at === '' ? undefined : Number(at);
  if (now && now.id === id) {
    if (at !== undefined) { audio.currentTime = at; await play(); } else acts.toggle();
    return;
  }
  save();
  try { load(await json(`/player/${id}`), at); await play(); } catch { tell('This episode cannot be played.'); }
};
const play = () => audio.play().catch(error => { if (error.name !== 'AbortError') tell('This episode cannot be played now.'); });
const save = () => {
  if (!now || !audio.currentTime || audio.ended) return;
  const fields = new URLSearchParams({ seconds: audio.currentTime.toFixed(1) });
  if (isFinite(audio.duration)) fields.set('duration', audio.duration.toFixed(1));
  told = Date.now();
  fetch(`/player/${now.id}/position`, { method: 'POST', body: fields, keepalive: true }).catch(() => {});
};
const length = () => isFinite(audio.duration) ? audio.duration : now && now.duration || 0;
const draw = () => {
  const seek = $('#p-seek'), at = audio.currentTime || queueing || 0, all = length();
  seek.max = Math.max(1, Math.round(all)); if (document.activeElement !== seek || !seek.matches(':active')) seek.value = Math.round(at);
  seek.setAttribute('aria-valuetext', `${clock(at)} of ${clock(all)}`);
  $('#p-time').textContent = clock(at); $('#p-left').textContent = all ? `−${clock(all - at)}` : '';
  const toggle = $('#p-toggle'), paused = audio.paused;
  if (toggle.dataset.paused !== String(paused)) { toggle.dataset.paused = paused; toggle.innerHTML = icon(paused ? 'play' : 'pause'); toggle.setAttribute('aria-label', paused ? 'Play' : 'Pause'); }
};
const acts = {
  toggle: () => { if (!now) return acts.next(); audio.paused ? play() : audio.pause(); },
  back: () => { audio.currentTime = Math.max(0, audio.currentTime - 15); },
  forward: () => { audio.currentTime = Math.min(length() || Infinity, audio.currentTime + 30); },
  next: async () => { try { const episode = await json(now ? `/player/next?after=${now.id}` : '/player/next'); if (episode) { save(); load(episode); await play(); } else tell('Nothing else is in the queue.'); } catch { tell('The server does not answer.'); } },
  help: () => { const d = $('#keys'); d.open ? d.close() : d.showModal(); },
};
audio.addEventListener('timeupdate', () => { draw(); follow(); if (Date.now() - told > 5000) save(); });
audio.addEventListener('loadedmetadata', () => { if (queueing) audio.currentTime = queueing; queueing = null; draw(); });
for (const name of ['play', 'pause', 'seeked', 'durationchange']) audio.addEventListener(name, () => { draw(); mark(); if (name === 'pause' || name === 'seeked') save(); });
audio.addEventListener('error', () => { if (now && audio.src) tell('This episode cannot be played now.'); });
audio.addEventListener('ended', async () => {
  const id = now.id, stop = sleep === 'end';
  if (stop) { sleep = null; $('#p-sleep').value = ''; }
  try { const episode = await json(`/player/${id}/finished`, { method: 'POST' }); if (episode && !stop) { load(episode); await play(); } } catch { tell('The server does not answer.'); }
  const focused = document.activeElement;
  if (location.pathname === '/queue') go(location.href, { push: false, keep: true, focus: main().contains(focused) && place(focused) });
});
addEventListener('pagehide', save);
document.addEventListener('visibilitychange', () => { if (document.hidden) save(); });
$('#p-seek').addEventListener('input', event => { audio.currentTime = Number(event.target.value); });
$('#p-speed').addEventListener('change', event => { audio.playbackRate = audio.defaultPlaybackRate = Number(event.target.value); try { localStorage.speed = event.target.value; } catch {} });
$('#p-chapters').addEventListener('change', event => { audio.currentTime = Number(event.target.value); });
$('#p-sleep').addEventListener('change', event => {
  clearTimeout(acts.timer); sleep = event.target.value;
  if (Number(sleep)) acts.timer = setTimeout(() => { audio.pause(); event.target.value = ''; sleep = null; }, Number(sleep) * 60000);
});
try { if (localStorage.speed) $('#p-speed').value = localStorage.speed; } catch {}
if ('mediaSession' in navigator) {
  const set = (name, act) => { try { navigator.mediaSession.setActionHandler(name, act); } catch {} };
  set('play', () => play()); set('pause', () => audio.pause());
  set('seekbackward', acts.back); set('seekforward', acts.forward); set('nexttrack', acts.next);
  set('seekto', d => { audio.currentTime = d.seekTime; });
}

// What plays is marked in lists, and its transcript follows the voice.
const mark = () => {
  $$('.row', main()).forEach(row => {
    const is = !!now && row.dataset.episode === now.id;
    row.classList.toggle('playing', is);
    const button = $('button[data-play]', row);
    if (button) { const use = $('use', button), name = is && !audio.paused ? '#i-pause' : '#i-play'; if (use && use.getAttribute('href') !== name) use.setAttribute('href', name); const word = $('span', button); if (word) word.textContent = name === '#i-pause' ? 'Pause' : 'Play'; }
  });
  const said = $('#p-chapters'); if (now && now.chapters) { const c = now.chapters.findLastIndex(c => c.start <= audio.currentTime + .5); if (c >= 0) said.selectedIndex = c; }
};
let saying = null;
const follow = () => {
  const box = $('.transcript'), article = $('article.episode');
  if (!box || !now || article.dataset.episode !== now.id) return;
  const line = $$('p[data-start]', box).findLast(p => Number(p.dataset.start) <= audio.currentTime + .2) || null;
  if (line === saying) return;
  if (saying) saying.classList.remove('now');
  saying = line;
  if (line) { line.classList.add('now'); if (!box.matches(':hover')) box.scrollTop = line.offsetTop - box.offsetTop - box.clientHeight / 3; }
};
const arrived = () => { mark(); saying = null; follow(); wake(); };

// A link with ?at= plays from there.
const wake = () => {
  const article = $('article.episode'), at = new URLSearchParams(location.search).get('at');
  if (article && at !== null && at !== '') { const line = $$('.transcript p[data-start]').findLast(p => Number(p.dataset.start) <= Number(at) + .2); if (line) { line.classList.add('now'); saying = line; const box = $('.transcript'); box.scrollTop = line.offsetTop - box.offsetTop - box.clientHeight / 3; } }
};

// The status page shows the end of a refresh. A link that is followed meanwhile goes first.
setInterval(async () => {
  const running = () => $('[data-refreshing]', main()), number = visit, focused = document.activeElement;
  if (document.hidden || !running()) return;
  try {
    const answer = await fetch(location.href, { headers: { Accept: 'text/html' } }), html = await answer.text();
    if (number === visit && running() && !html.includes('data-refreshing')) show(html, answer.url, { push: false, keep: true, focus: main().contains(focused) && place(focused) });
  } catch { }
}, 2000);

// The queue by drag.
let dragged = null;
document.addEventListener('dragstart', event => { dragged = event.target.closest && event.target.closest('[data-queue] .row'); if (dragged) { event.dataTransfer.effectAllowed = 'move'; event.dataTransfer.setData('text/plain', dragged.dataset.episode); dragged.classList.add('dragged'); } });
document.addEventListener('dragover', event => {
  const over = dragged && event.target.closest('[data-queue] .row');
  if (!over) return;
  event.preventDefault();
  const box = over.getBoundingClientRect();
  if (over !== dragged) over.parentNode.insertBefore(dragged, event.clientY > box.top + box.height / 2 ? over.nextSibling : over);
});
document.addEventListener('drop', event => { if (dragged) event.preventDefault(); });
document.addEventListener('dragend', () => {
  if (!dragged) return;
  const to = Number($('[data-queue]').dataset.queue) + $$('[data-queue] .row').indexOf(dragged) + 1;
  dragged.classList.remove('dragged');
  if (String(to) !== dragged.dataset.position) moveTo(dragged, to);
  dragged = null;
});
const moveTo = (row, to) => go('/queue/move', { request: { method: 'POST', body: new URLSearchParams({ episode: row.dataset.episode, to }) }, push: false, keep: true, focus: { key: row.dataset.episode } });

// Keys.
let prefix = false;
const step = by => {
  const rows = $$('.row h3 a, .cards a[data-item]', main());
  if (!rows.length) return;
  const row = document.activeElement.closest('.row, .cards li'), at = row ? rows.findIndex(a => row.contains(a)) : -1;
  const next = rows[Math.max(0, Math.min(rows.length - 1, at < 0 ? 0 : at + by))];
  next.focus(); next.closest('.row, .cards li').scrollIntoView({ block: 'nearest' });
};
document.addEventListener('keydown', event => {
  const el = event.target, typed = el.matches('input:not([type=range]):not([type=checkbox]), textarea, select');
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (typed) { if (event.key === 'Escape') { event.preventDefault(); el.blur(); } return; }
  if ($('#keys').open) { if (event.key === '?') { event.preventDefault(); acts.help(); } return; }
  const key = event.key, row = el.closest('.row') || $('.acts.row', main());
  if (prefix) { prefix = false; const a = $(`.top [data-go="g ${key}"]`); if (a) { event.preventDefault(); go(a.href, { push: true }); } return; }
  if (event.shiftKey && (key === 'ArrowUp' || key === 'ArrowDown')) { const q = el.closest('[data-queue] .row'); if (q) { event.preventDefault(); const b = $(`[data-move="${key === 'ArrowUp' ? 'up' : 'down'}"]`, q); if (!b.disabled) b.click(); } return; }
  if (key === 'g') { prefix = true; setTimeout(() => { prefix = false; }, 1500); return; }
  if (key === '?') { event.preventDefault(); acts.help(); return; }
  if (key === '/') { event.preventDefault(); const box = $('input[type=search]', main()); box ? (box.focus(), box.select()) : go('/search', { push: true }); return; }
  if (key === 'j' || key === 'k') { event.preventDefault(); step(key === 'j' ? 1 : -1); return; }
  if (key === 'n') { acts.next(); return; }
  if (key === ' ' && !el.matches('button, summary, a[role=button], [tabindex="0"]')) { if (now) { event.preventDefault(); acts.toggle(); } return; }
  if ((key === 'ArrowLeft' || key === 'ArrowRight') && now && !el.matches('input')) { event.preventDefault(); key === 'ArrowLeft' ? acts.back() : acts.forward(); return; }
  if (row && 'pase'.includes(key) && key.length === 1) { const button = $(`[data-k="${key}"]`, row); if (button) { event.preventDefault(); button.click(); } }
});
arrived();
})();
