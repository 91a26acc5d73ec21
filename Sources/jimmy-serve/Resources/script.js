'use strict';
(() => {
const $ = (q, e = document) => e.querySelector(q), $$ = (q, e = document) => [...e.querySelectorAll(q)];
const main = () => $('#main'), audio = $('#audio'), player = $('#player');
document.documentElement.classList.add('scripted');
// A toast; with a word and an act, it has a button and stays longer.
const tell = (text, word, act, seconds) => {
  const box = $('#told'), button = $('#told-act');
  $('#told-text').textContent = text; button.textContent = word || ''; button.hidden = !act; button.onclick = act ? () => { hush(); act(); } : null;
  box.classList.toggle('shown', !!text); clearTimeout(tell.timer);
  const end = () => box.matches(':hover, :focus-within') ? tell.timer = setTimeout(end, 1000) : hush();
  if (text) tell.timer = setTimeout(end, 1000 * (seconds || (act ? 8 : 4)));
};
const hush = () => { const box = $('#told'); clearTimeout(tell.timer); if (box.contains(document.activeElement)) main().focus({ preventScroll: true }); box.classList.remove('shown'); $('#told-act').hidden = true; $('#told-act').onclick = null; };
const undo = async () => {
  try {
    const { undone } = await json('/undo', { method: 'POST' });
    if (await go(location.href, { push: false, keep: true, focus: place(document.activeElement) }) === false) await go('/podcasts', { push: false });
    tell(undone ? `Undone: ${undone.changes.join('; ').slice(0, 160)}.` : 'There is nothing to undo.');
  } catch { tell('This could not be undone.'); }
};
const clock = s => { s = Math.max(0, Math.floor(s || 0)); const h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60, r = String(s % 60).padStart(2, '0'); return h ? `${h}:${String(m).padStart(2, '0')}:${r}` : `${m}:${r}`; };
const icon = name => `<svg class="i" aria-hidden="true"><use href="#i-${name}"></use></svg>`;

// Pages: links and forms replace what is in main, so that the player goes on.
let visit = 0, current = location.pathname + location.search;
const place = el => { const row = el && el.closest('.row,[data-key]'); return { key: row && (row.dataset.episode || row.dataset.key), k: el && el.dataset.k, move: el && el.dataset.move, index: row ? $$('.row', main()).indexOf(row.closest('.row')) : -1, id: el && el.id }; };
const restore = p => {
  if (!p) return;
  const row = p.key && ($(`.row[data-episode="${CSS.escape(p.key)}"]`, main()) || $(`[data-key="${CSS.escape(p.key)}"]`, main()));
  const target = p.id && document.getElementById(p.id) || row && (p.k && $(`[data-k="${p.k}"]`, row) || p.move && $(`[data-move="${p.move}"]:not(:disabled)`, row) || $('h3 a', row) || $('button:not(:disabled), a', row));
  const rows = $$('.row', main());
  (target || p.index >= 0 && rows.length && $('h3 a', rows[Math.min(p.index, rows.length - 1)]) || main()).focus({ preventScroll: !!target });
};
const show = (html, url, { part, focus, push, keep, scroll } = {}) => {
  const page = new DOMParser().parseFromString(html, 'text/html');
  const fresh = $(part || '#main', page), old = $(part || '#main');
  if (!fresh || !old) { location.href = url; return; }
  const y = scrollY, open = $$('details', old).map(d => d.open);
  old.replaceWith(document.importNode(fresh, true));
  if (keep) $$('details', $(part || '#main')).forEach((d, i) => { if (open[i] !== undefined) d.open = open[i]; });
  document.title = page.title;
  const here = new Set($$('.top [aria-current]', page).map(a => a.getAttribute('href')));
  $$('.top ul a').forEach(a => here.has(a.getAttribute('href')) ? a.setAttribute('aria-current', 'page') : a.removeAttribute('aria-current'));
  if (push === true) { history.replaceState({ y }, ''); history.pushState(null, '', url); } else if (push === false) history.replaceState(history.state, '', url);
  current = location.pathname + location.search;
  if (!keep && !part) { !scroll && caret() || main().focus({ preventScroll: true }); scrollTo(0, scroll || 0); } else if (!part) restore(focus);
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
    show(html, options.shown || answer.url, options);
    return answer.ok;
  } catch (error) { if (number === visit) tell('The server does not answer.'); }
};
const ours = a => a.origin === location.origin && !a.hasAttribute('download') && !a.target && !('plain' in a.dataset) && !/^\/(media|assets|feeds|api)\//.test(a.pathname);
document.addEventListener('click', event => {
  if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const act = event.target.closest('[data-act]');
  if (act) { event.preventDefault(); acts[act.dataset.act](act); return; }
  const many = event.target.closest('[data-many]');
  if (many) { actOnMany(many.dataset.many); return; }
  const play = event.target.closest('[data-play]');
  if (play) { event.preventDefault(); start(play.dataset.play, play.dataset.at, play.matches('button')); return; }
  const said = event.target.closest('.transcript p[data-start]');
  if (said && !event.target.closest('a') && getSelection().isCollapsed) { start($('article.episode').dataset.episode, said.dataset.start); return; }
  const a = event.target.closest('a[href]');
  if (!a || !ours(a)) return;
  if (a.pathname === location.pathname && a.search === location.search && a.hash) return;
  event.preventDefault();
  openPlayer(false);
  go(a.href, { push: true });
});
// What cannot be undone is asked for first.
let sure = null;
const ask = (question, yes, field) => new Promise(resolve => {
  const dialog = $('#ask'), text = $('#ask-text');
  $('#ask-title').textContent = question; $('#ask-yes').textContent = yes; $('#ask-field').hidden = !field; text.value = ''; text.required = !!field;
  dialog.returnValue = '';
  dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes' ? field ? text.value : true : null), { once: true });
  dialog.showModal();
});
document.addEventListener('submit', event => {
  const form = event.target, question = event.submitter && event.submitter.dataset.sure;
  if (question && sure !== event.submitter) {
    event.preventDefault();
    const button = event.submitter;
    ask(question, button.textContent.trim() || 'Yes').then(yes => { if (yes) { sure = button; form.requestSubmit(button); sure = null; } });
    return;
  }
  if (form.getAttribute('action') === '/logout') forget();
  if ('plain' in form.dataset || form.method === 'dialog') return;
  event.preventDefault();
  const submitter = event.submitter || {}, fields = new URLSearchParams(new FormData(form, event.submitter));
  if (form.method === 'get') { go(`${form.action}?${fields}`, { push: true, part: form.dataset.live }); return; }
  // A key acts on the row without taking the focus from its link.
  const was = place(main().contains(document.activeElement) ? document.activeElement : event.submitter);
  if (fields.get('do') === 'next' && now) fields.set('after', now.id);
  const stays = new URL(form.action).pathname !== '/subscribe' && fields.get('do') !== 'unsubscribe';
  go(form.action, { request: { method: 'POST', body: fields }, push: stays ? false : true, keep: stays, focus: was }).then(ok => {
    if (ok && fields.get('do') === 'download') watch(fields.has('episode') ? fields.getAll('episode') : [new URL(form.action).pathname.split('/').pop()]);
    if (ok && submitter.dataset && submitter.dataset.told && !$('[role=alert]', main())) 'undo' in submitter.dataset ? tell(submitter.dataset.told, 'Undo', undo) : tell(submitter.dataset.told);
  });
});
// Does something with episodes, and says so.
const perform = async (ids, fields, told, undoable, focus) => {
  const body = new URLSearchParams({ ...fields, back: location.pathname + location.search });
  for (const id of ids) body.append('episode', id);
  const path = ids.length === 1 ? `/episodes/${ids[0]}` : '/episodes';
  const ok = await go(path, { request: { method: 'POST', body }, shown: location.href, push: false, keep: true, focus }) && !$('[role=alert]', main());
  if (ok && fields.do === 'download') watch(ids);
  if (ok) undoable ? tell(told, 'Undo', undo) : tell(told);
};
// The browser cannot restore the place in a page that has yet to come.
history.scrollRestoration = 'manual';
let scrolling;
addEventListener('scroll', () => { clearTimeout(scrolling); scrolling = setTimeout(() => history.replaceState({ y: scrollY }, ''), 100); }, { passive: true });
addEventListener('popstate', event => {
  clearTimeout(scrolling);
  // A fragment leads to a place in the page that is shown, which the browser finds and focuses.
  if (location.pathname + location.search !== current) go(location.href, { scroll: event.state && event.state.y });
  else if (!location.hash) scrollTo(0, event.state && event.state.y || 0);
});
const caret = () => { const box = $('[autofocus]', main()); if (box) { box.focus({ preventScroll: true }); if (box.setSelectionRange && box.type !== 'password') box.setSelectionRange(box.value.length, box.value.length); } return box; };

// A letter stands for a cover that is still being fetched.
document.addEventListener('load', event => {
  const picture = event.target;
  if (picture.localName !== 'img' || picture.naturalWidth !== 99) return;
  const tries = Number(picture.dataset.tries || 0);
  if (tries > 5) return;
  picture.dataset.tries = tries + 1;
  setTimeout(() => {
    const address = new URL(picture.src);
    address.searchParams.set('again', tries);
    if (picture.isConnected) picture.src = address;
  }, 1000 * 2 ** tries);
}, true);

// Search as one types: when typing rests, the word at the end counts as a beginning.
let typing;
document.addEventListener('input', event => {
  const form = event.target.closest('form[data-live]');
  if (!form) return;
  clearTimeout(typing);
  typing = setTimeout(async () => {
    const shown = `${form.action}?${new URLSearchParams(new FormData(form))}`;
    await go(/\S$/.test(event.target.value) ? shown + '&typing=1' : shown, { part: form.dataset.live, push: false, shown });
    typing = setTimeout(() => { const count = $(`${form.dataset.live} .count`); $('#spoken').textContent = count ? count.textContent : ''; }, 1000);
  }, 200);
});

// The player.
// `heard`: what was played or sought since the last save. `known`: the position that the library had then.
let now = null, queueing = null, saved = 0, sleep = null, heard = false, known = 0, held = 0;
const json = (url, options) => fetch(url, { headers: { Accept: 'application/json' }, ...options }).then(a => a.status === 204 ? null : a.ok ? a.json() : Promise.reject(a.status));
const load = (episode, at) => {
  now = episode;
  player.hidden = false;
  document.documentElement.classList.add('plays');
  audio.src = `/media/${episode.id}`;
  speed(episode.speed || general);
  const title = $('#p-title'), podcast = $('#p-podcast');
  title.textContent = episode.title; title.href = $('#p-cover').href = `/episodes/${episode.id}`;
  podcast.textContent = episode.podcastTitle; podcast.href = `/podcasts/${episode.podcastID}`;
  $('#p-cover img').src = `/covers/episodes/${episode.id}?size=large`;
  const chapters = episode.chapters || [];
  $('.more .chapters').hidden = !chapters.length;
  $('#p-chapters').replaceChildren(...chapters.map(c => new Option(`${clock(c.start)} ${c.title || ''}`, c.start)));
  queueing = at ?? (episode.position && episode.position < (episode.duration || Infinity) - 5 ? episode.position : episode.skipIntro || 0);
  [heard, known, held] = [false, episode.position || 0, 0];
  if (queueing) audio.currentTime = queueing;
  draw();
  if ('mediaSession' in navigator) {
    navigator.mediaSession.metadata = new MediaMetadata({ title: episode.title, artist: episode.podcastTitle, artwork: [{ src: `/covers/episodes/${episode.id}?size=large`, sizes: '512x512' }] });
  }
  mark();
};
let general = 1;
const speed = value => {
  const box = $('#p-speed');
  if (![...box.options].some(o => Number(o.value) === value)) box.add(new Option(`${value}×`, value));
  box.value = value;
  audio.playbackRate = audio.defaultPlaybackRate = value;
};
const seek = seconds => { const to = Math.max(0, Math.min(length() || Infinity, seconds)); heard = true; if (!audio.readyState) queueing = to; audio.currentTime = to; };
const start = async (id, at, toggles) => {
  at = at === undefined || at === '' ? undefined : Number(at);
  if (now && now.id === id) {
    if (at !== undefined && !toggles) { seek(at); await play(); } else acts.toggle();
    return;
  }
  save();
  try { load(await json(`/player/${id}`), at); await play(); } catch { tell('This episode cannot be played.'); }
};
const play = () => audio.play().catch(error => { if (error.name !== 'AbortError') tell('This episode cannot be played now.'); });
// Another device may have heard more meanwhile: its place is offered, and not overwritten at once.
const compare = async () => {
  if (!now || heard) return;
  const id = now.id, before = known;
  try {
    const { position } = await json(`/player/${id}`);
    if (!now || now.id !== id || !position || Math.abs(position - before) < 5) return;
    offer(position);
  } catch { }
};
const offer = position => {
  held = Date.now() + 60000; known = position;
  tell(`Heard to ${clock(position)} elsewhere.`, 'Go there', () => { held = 0; seek(position); }, 60);
};
const save = () => {
  try { if (now) sessionStorage.playing = JSON.stringify({ id: now.id, at: audio.currentTime || queueing || 0, known }); } catch {}
  if (!now || !heard || !audio.currentTime || audio.ended || Date.now() < held) return;
  const fields = new URLSearchParams({ seconds: audio.currentTime.toFixed(1) });
  if (isFinite(audio.duration)) fields.set('duration', audio.duration.toFixed(1));
  if (!audio.paused) fields.set('speed', audio.playbackRate);
  [saved, heard, known] = [Date.now(), false, audio.currentTime];
  report(now.id, 'position', fields).catch(() => {});
};
// Positions that the server has not been told of, since it could not be reached; by episode.
const untold = change => { try { const all = JSON.parse(localStorage.untold || '{}'); change(all); localStorage.untold = JSON.stringify(all); return all; } catch { return {}; } };
const report = (id, what, fields) => {
  const at = Date.now();
  untold(all => { all[id] = { what, fields: String(fields), at }; });
  return fetch(`/player/${id}/${what}`, { method: 'POST', body: fields, keepalive: true, headers: { Accept: 'application/json' } }).then(answer => {
    untold(all => { if (all[id] && all[id].at === at) delete all[id]; });
    return answer.ok ? answer.status === 204 ? null : answer.json() : Promise.reject(answer.status);
  });
};
const reportUntold = async () => {
  for (const [id, { what, fields, at }] of Object.entries(untold(() => {}))) {
    if (now && now.id === id && !audio.paused) continue;
    const body = new URLSearchParams(fields);
    body.set('age', Math.max(0, Math.round((Date.now() - at) / 1000)));
    try { await fetch(`/player/${id}/${what}`, { method: 'POST', body }); } catch { return; }
    untold(all => { if (all[id] && all[id].at === at) delete all[id]; });
  }
};
addEventListener('online', reportUntold);
const length = () => isFinite(audio.duration) ? audio.duration : now && now.duration || 0;
const draw = () => {
  const seek = $('#p-seek'), at = audio.currentTime || queueing || 0, all = length();
  seek.max = Math.max(1, Math.round(all)); if (document.activeElement !== seek || !seek.matches(':active')) seek.value = Math.round(at);
  seek.setAttribute('aria-valuetext', `${clock(at)} of ${clock(all)}`);
  player.style.setProperty('--share', all ? Math.min(1, at / all) : 0);
  $('#p-time').textContent = clock(at); $('#p-left').textContent = all ? `−${clock(all - at)}` : '';
  const toggle = $('#p-toggle'), paused = audio.paused;
  if (toggle.dataset.paused !== String(paused)) { toggle.dataset.paused = paused; toggle.innerHTML = icon(paused ? 'play' : 'pause'); toggle.setAttribute('aria-label', paused ? 'Play' : 'Pause'); }
};
const acts = {
  toggle: () => { if (!now) return acts.next(); if (!audio.paused) return audio.pause(); play(); compare(); },
  back: () => seek(audio.currentTime - 15),
  forward: () => seek(audio.currentTime + 30),
  next: async () => { try { const episode = await json(now ? `/player/next?after=${now.id}` : '/player/next'); if (episode) { save(); load(episode); await play(); } else tell('Nothing else is in the queue.'); } catch { tell('The server does not answer.'); } },
  help: () => { const d = $('#keys'); d.open ? d.close() : d.showModal(); },
  more: () => openPlayer(!player.classList.contains('open')),
  menu: button => openMenu(button.closest('.row')),
  reload: () => go(location.href, { push: false, keep: true }),
  share: button => share(button.closest('#player') ? now.id : $('article.episode').dataset.episode),
  mark: async () => {
    if (!now) { tell('Nothing is being played.'); return; }
    const at = Math.floor(audio.currentTime || queueing || 0), focused = document.activeElement;
    await perform([now.id], { do: 'mark', seconds: at }, `Marked at ${clock(at)}.`, true, main().contains(focused) && place(focused));
  },
  offline: () => keepOffline($('article.episode').dataset.episode),
  pickAll: () => { $$('.row .pick input', main()).forEach(box => { box.checked = true; }); drawPicked(); },
  cancel: () => $('#ask').close(''),
  pickNone: () => pick(false),
  theme: () => { const next = nextTheme(); try { localStorage.theme = next; } catch {} paint(next); },
};
audio.addEventListener('timeupdate', () => {
  if (now && now.skipOutro && isFinite(audio.duration) && !audio.paused && audio.currentTime >= Math.max(1, audio.duration - now.skipOutro)) { audio.pause(); ended(); return; }
  if (!audio.paused) heard = true; draw(); follow(); if (Date.now() - saved > 5000) save();
});
audio.addEventListener('loadedmetadata', () => { if (queueing) audio.currentTime = queueing; queueing = null; draw(); });
for (const name of ['play', 'pause', 'seeked', 'durationchange']) audio.addEventListener(name, () => { draw(); mark(); if (name === 'pause' || name === 'seeked') save(); });
audio.addEventListener('error', () => { if (now && audio.src) tell('This episode cannot be played now.'); });
const ended = async () => {
  const id = now.id, stop = sleep === 'end';
  if (stop) { sleep = null; $('#p-sleep').value = ''; }
  heard = false;
  try { const episode = await report(id, 'finished', new URLSearchParams()); if (episode && !stop) { load(episode); await play(); } } catch { tell('The server does not answer.'); }
  const focused = document.activeElement;
  if (location.pathname === '/queue') go(location.href, { push: false, keep: true, focus: main().contains(focused) && place(focused) });
};
audio.addEventListener('ended', ended);
addEventListener('pagehide', save);
document.addEventListener('visibilitychange', () => { if (document.hidden) save(); });
$('#p-seek').addEventListener('input', event => seek(Number(event.target.value)));
$('#p-speed').addEventListener('change', event => {
  speed(Number(event.target.value));
  // A podcast's own speed is one of its settings.
  if (now && now.speed) return;
  general = Number(event.target.value);
  try { localStorage.speed = general; } catch {}
});
$('#p-chapters').addEventListener('change', event => seek(Number(event.target.value)));
$('#p-volume').addEventListener('input', event => { audio.volume = Number(event.target.value); try { localStorage.volume = event.target.value; } catch {} });
$('#p-sleep').addEventListener('change', event => {
  clearTimeout(acts.timer); sleep = event.target.value;
  if (Number(sleep)) acts.timer = setTimeout(() => { audio.pause(); event.target.value = ''; sleep = null; }, Number(sleep) * 60000);
});
try { if (localStorage.speed) { general = Number(localStorage.speed) || 1; speed(general); } if (localStorage.volume) audio.volume = $('#p-volume').value = localStorage.volume; } catch {}
// One tab plays at a time.
const tabs = 'BroadcastChannel' in window ? new BroadcastChannel('player') : null;
if (tabs) { audio.addEventListener('play', () => tabs.postMessage('plays')); tabs.onmessage = () => audio.pause(); }
// A reload keeps the player, paused, at its place.
const reopen = async () => {
  try {
    const was = JSON.parse(sessionStorage.playing || 'null');
    if (!was) return;
    const episode = await json(`/player/${was.id}`), position = episode.position || 0;
    if (now) return;
    load(episode, was.at);
    if (position && Math.abs(position - was.at) >= 10 && Math.abs(position - was.known) >= 1) offer(position);
  } catch { }
};
if ('mediaSession' in navigator) {
  const set = (name, act) => { try { navigator.mediaSession.setActionHandler(name, act); } catch {} };
  set('play', () => play()); set('pause', () => audio.pause());
  set('seekbackward', acts.back); set('seekforward', acts.forward); set('nexttrack', acts.next);
  set('seekto', d => seek(d.seekTime));
}

// Tooltips name the keys, where there are keys.
const hint = (...buttons) => { if (matchMedia('(hover: hover)').matches) for (const b of buttons) if (!b.title.endsWith(')')) b.title += ` (${b.dataset.hint || b.dataset.k})`; };

// What plays is marked in lists, and its transcript follows the voice.
const mark = () => {
  $$('.row', main()).forEach(row => {
    const is = !!now && row.dataset.episode === now.id;
    row.classList.toggle('playing', is);
    const button = $('button[data-play]', row);
    if (button) { const use = $('use', button), name = is && !audio.paused ? '#i-pause' : '#i-play'; if (use && use.getAttribute('href') !== name) use.setAttribute('href', name); const verb = name === '#i-pause' ? 'Pause' : 'Play', word = $('span', button), label = button.getAttribute('aria-label'); if (word) word.textContent = verb; if (label) { button.setAttribute('aria-label', label.replace(/^(Play|Pause)/, verb)); button.title = verb; hint(button); } }
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
const arrived = () => { times(); hint(...$$('[data-k][title], [data-hint]', main())); mark(); saying = null; follow(); wake(); drawPicks(); watch(); drawOffline(); };

// The whole player, where the window is narrow.
const openPlayer = open => {
  if (open === player.classList.contains('open')) return;
  player.classList.toggle('open', open);
  document.documentElement.classList.toggle('covered', open);
  const button = $('#p-open'), narrow = open && getComputedStyle(player).getPropertyValue('--whole').trim() === '1';
  button.setAttribute('aria-expanded', open);
  button.setAttribute('aria-label', open ? 'Close the player' : 'Open the player');
  button.title = button.getAttribute('aria-label');
  for (const el of [$('.top'), main(), $('.bottom')]) el.inert = narrow;
};

// More for one episode of a list.
const openMenu = row => {
  const dialog = $('#menu'), id = row.dataset.episode, has = name => row.dataset.has.split(' ').includes(name);
  const focus = { key: id, k: 'd' }, title = $('h3', row).textContent.trim();
  const act = (name, work) => {
    const li = document.createElement('li'), button = document.createElement('button');
    button.type = 'button'; button.textContent = name;
    button.onclick = () => { dialog.close(); work(); };
    li.append(button);
    return li;
  };
  const does = (name, what, told, undoable = true, fields = {}) => act(name, () => perform([id], { do: what, ...fields }, told, undoable, focus));
  $('#menu-title').textContent = title;
  $('ul', dialog).replaceChildren(
    does('Play next', 'next', 'It plays next.', true, now ? { after: now.id } : {}),
    has('played') ? does('Mark as unplayed', 'unplayed', 'Marked as unplayed.') : does('Mark as played', 'played', 'Marked as played.'),
    act('Add tags…', () => addTags([id], focus)),
    has('downloaded')
      ? act('Delete the downloaded file', async () => { if (await ask(`Delete the downloaded file of “${title}”?`, 'Delete')) perform([id], { do: 'undownload' }, 'The file is deleted.', false, focus); })
      : does('Download to the server', 'download', 'Downloading to the server.', false),
    has('archived') ? does('Take out of the archive', 'unarchive', 'Taken out of the archive.') : does('Archive', 'archive', 'Archived: no list shows it now.'),
    act('Share', () => share(id)),
    act('Select several', () => { pick(true, id); $('.pick input', row).focus(); }));
  dialog.showModal();
};
const addTags = async (ids, focus) => {
  suggestTags();
  const tag = await ask(ids.length > 1 ? `Tag ${ids.length} episodes` : 'Tag the episode', 'Add', true);
  if (!tag) return false;
  await perform(ids, { do: 'tag', tag }, 'Tagged.', true, focus);
  return true;
};
const suggestTags = async () => {
  const lists = $$('#ask-list, #tags');
  if (lists.every(list => list.options.length)) return;
  try {
    const { rows } = await json('/api/1/tags'), own = rows.map(row => row.tag).filter(tag => !['new', 'played', 'starred', 'archived', 'downloaded'].includes(tag));
    for (const list of lists) list.replaceChildren(...own.map(tag => { const option = document.createElement('option'); option.value = tag; return option; }));
  } catch { }
};
document.addEventListener('focusin', event => { if (event.target.id === 'tag') suggestTags(); });

// Several episodes selected.
let picking = false;
const picked = () => $$('.row .pick input:checked', main()).map(box => box.closest('.row').dataset.episode);
const pick = (on, id) => {
  picking = on;
  document.documentElement.classList.toggle('picking', on);
  if (!on) { const within = $('#picked').contains(document.activeElement); $$('.pick', main()).forEach(el => el.remove()); if (within) main().focus({ preventScroll: true }); }
  drawPicks(id ? [id] : []);
};
const drawPicks = (chosen = []) => {
  if (picking && !$('li.row', main())) { pick(false); return; }
  $('#picked').hidden = !picking;
  if (!picking) return;
  for (const row of $$('li.row', main())) {
    if (!$('.pick', row)) {
      const label = document.createElement('label'), box = document.createElement('input');
      label.className = 'pick'; box.type = 'checkbox'; box.setAttribute('aria-label', `Select ${$('h3', row).textContent.trim()}`);
      label.append(box); row.prepend(label);
    }
    if (chosen.includes(row.dataset.episode)) $('.pick input', row).checked = true;
  }
  drawPicked();
};
const drawPicked = () => { const count = picked().length; $('#picked-count').textContent = count === 1 ? '1 selected' : `${count} selected`; $$('#picked [data-many]').forEach(b => { b.disabled = !count; }); };
document.addEventListener('change', event => { if (event.target.closest('.pick')) drawPicked(); });
const manyTold = { queue: 'Added to the queue.', seen: 'Marked as seen.', played: 'Marked as played.', star: 'Starred.', download: 'Downloading to the server.' };
const actOnMany = async what => {
  const ids = picked();
  if (!ids.length) return;
  if (what === 'tag') { if (!await addTags(ids)) return; } else await perform(ids, { do: what }, manyTold[what], what !== 'download');
  pick(false);
};

// Downloads of the server, until they end.
const fetching = new Set();
let watching = null;
// A short download has ended before its page is drawn, so those that were asked for here are watched too.
const watch = (asked = []) => {
  asked.forEach(id => fetching.add(id));
  for (const el of $$('[data-downloading]', main())) for (const row of [el.closest('[data-episode]'), ...$$('[data-download]', el)]) if (row) fetching.add(row.dataset.episode || row.dataset.download);
  if (fetching.size && !watching) watching = setTimeout(look, 700);
};
const look = async () => {
  watching = null;
  try {
    const { rows, downloaded, failures } = await json(`/downloads/progress?${new URLSearchParams([...fetching].map(id => ['of', id]))}`);
    for (const row of rows) {
      const shown = $(`[data-download="${CSS.escape(row.id)}"]`, main());
      if (!shown) continue;
      $('.words', shown).textContent = row.words;
      if (row.share !== null) $('progress', shown).value = row.share;
    }
    const gone = [...fetching].filter(id => !rows.some(row => row.id === id));
    gone.forEach(id => fetching.delete(id));
    if (gone.length) {
      const failed = gone.filter(id => failures[id]), done = gone.filter(id => downloaded.includes(id)), number = visit, focused = document.activeElement;
      if (gone.some(id => $(`[data-episode="${CSS.escape(id)}"], [data-download="${CSS.escape(id)}"]`, main()))) await go(location.href, { push: false, keep: true, focus: main().contains(focused) && place(focused) });
      else if (number !== visit) return watch();
      if (failed.length) tell(`The download failed: ${failures[failed[0]]}`); else if (done.length) tell(done.length > 1 ? `${done.length} files are downloaded.` : 'Downloaded.');
    }
  } catch { }
  watch();
};

// Sharing: the publisher's page, or the sound from this moment on.
const share = async id => {
  try {
    const { title, podcast, link, media } = await json(`/player/${id}/share`), at = now && now.id === id ? Math.floor(audio.currentTime || queueing || 0) : 0;
    const text = `${title} – ${podcast}${at ? `, from ${clock(at)}` : ''}`;
    const url = at && media ? `${media}#t=${at}` : link || media || `${location.origin}/episodes/${id}${at ? `?at=${at}` : ''}`;
    if (navigator.share) { await navigator.share({ title, text, url }); return; }
    await navigator.clipboard.writeText(`${text}\n${url}`);
    tell(at ? `The link from ${clock(at)} is copied.` : 'The link is copied.');
  } catch (error) { if (error.name !== 'AbortError') tell('This cannot be shared here.'); }
};

// Episodes kept on this device.
const workers = 'serviceWorker' in navigator && 'caches' in window ? navigator.serviceWorker : null;
const isKept = async id => !!await (await caches.open('kept')).match(`/media/${id}`);
const keptPaths = id => [`/media/${id}`, `/player/${id}`, `/episodes/${id}`, `/covers/episodes/${id}`];
const drawOffline = async () => {
  const button = $('#offline', main()), list = $('#kept', main());
  if (!workers) return;
  if (button) {
    const kept = await isKept($('article.episode').dataset.episode);
    button.classList.remove('unsure'); button.classList.toggle('on', kept); $('span', button).textContent = kept ? 'Remove from this device' : 'Keep offline';
  }
  if (!list) return;
  const cache = await caches.open('kept'), facts = (await cache.keys()).filter(r => /\/player\//.test(r.url));
  const rows = await Promise.all(facts.map(async r => (await cache.match(r)).json()));
  list.replaceChildren(...rows.map(episode => {
    const li = document.createElement('li'), a = document.createElement('a'), button = document.createElement('button');
    a.href = `/episodes/${episode.id}`; a.textContent = episode.title; a.dir = 'auto';
    button.className = 'main'; button.textContent = 'Play'; button.dataset.play = episode.id; button.setAttribute('aria-label', `Play ${episode.title}`);
    li.append(a, button);
    return li;
  }));
  $('#kept-none').hidden = rows.length > 0;
};
const keepOffline = async id => {
  const cache = await caches.open('kept');
  if (await isKept(id)) {
    await Promise.all(keptPaths(id).map(path => cache.delete(path)));
    drawOffline(); tell('It is no longer kept on this device.', 'Undo', () => keepOffline(id));
    return;
  }
  try {
    tell('It is being kept on this device…', '', null, 600);
    await workers.register('/worker.js');
    await workers.ready;
    // Other servers do not let a page store their files; ours does.
    if ((await fetch(`/player/${id}/share`).then(a => a.json())).downloaded !== true) {
      await fetch(`/episodes/${id}`, { method: 'POST', body: new URLSearchParams({ do: 'download' }) });
      for (let rows = [1]; rows.length;) {
        await new Promise(resolve => setTimeout(resolve, 700));
        const progress = await json(`/downloads/progress?of=${id}`);
        rows = progress.rows.filter(row => row.id === id);
        if (!rows.length && progress.failures[id]) throw new Error(progress.failures[id]);
      }
    }
    for (const path of keptPaths(id)) {
      const answer = await fetch(path.startsWith('/covers/') ? `${path}?size=large` : path, { headers: { Accept: path.startsWith('/episodes/') ? 'text/html' : '*/*' } });
      if (!answer.ok) throw new Error(`${answer.status}`);
      await cache.put(path, answer);
    }
    drawOffline(); tell('It is kept on this device.');
  } catch (error) { tell(`It could not be kept: ${error.message}`); }
};
const forget = () => { try { delete localStorage.untold; caches.keys().then(names => names.forEach(name => caches.delete(name))); } catch { } };
// An installed page, and one that has kept something, also starts without the server.
if (workers && matchMedia('(display-mode: standalone)').matches) workers.register('/worker.js').catch(() => {});

// Times in an episode's notes play from there.
const times = () => {
  const article = $('article.episode'), notes = article && $('.prose', article);
  if (!notes || !$('[data-play]', article)) return;
  const walker = document.createTreeWalker(notes, NodeFilter.SHOW_TEXT), texts = [];
  while (walker.nextNode()) if (!walker.currentNode.parentNode.closest('a')) texts.push(walker.currentNode);
  for (const text of texts) {
    const parts = text.data.split(/(?<![\d:.])((?:\d{1,2}:)?[0-5]?\d:[0-5]\d)(?![\d:.]\d)/);
    if (parts.length > 1) text.replaceWith(...parts.map((part, i) => {
      if (i % 2 === 0) return part;
      const a = document.createElement('a'), at = part.split(':').reduce((sum, n) => sum * 60 + Number(n), 0);
      a.href = `?at=${at}`; a.textContent = part; a.dataset.play = article.dataset.episode; a.dataset.at = at;
      return a;
    }));
  }
};

// The theme: as the system's, light or dark.
const theme = () => { try { return localStorage.theme || ''; } catch { return ''; } };
const nextTheme = () => { const all = ['', 'light', 'dark']; return all[(all.indexOf(theme()) + 1) % 3]; };
const paint = name => { name ? document.documentElement.dataset.theme = name : delete document.documentElement.dataset.theme; $('#theme').textContent = `Use the ${nextTheme() || 'system’s'} theme`; };

// A link with ?at= plays from there.
const wake = () => {
  const article = $('article.episode'), at = new URLSearchParams(location.search).get('at');
  if (article && at !== null && at !== '') { const line = $$('.transcript p[data-start]').findLast(p => Number(p.dataset.start) <= Number(at) + .2); if (line) { line.classList.add('now'); saying = line; const box = $('.transcript'); box.scrollTop = line.offsetTop - box.offsetTop - box.clientHeight / 3; } }
};

// What takes long to find is fetched when it is opened.
document.addEventListener('toggle', async event => {
  const box = event.target;
  if (!box.open || !box.dataset || !box.dataset.lazy) return;
  try {
    const page = new DOMParser().parseFromString(await fetch(box.dataset.lazy, { headers: { Accept: 'text/html' } }).then(a => a.text()), 'text/html');
    const list = $('#main ul.rows', page);
    if (!list || !box.isConnected || $('ul', box)) return;
    list.replaceChildren(...$$('li.row', list).slice(0, 5));
    $$('[name=back]', list).forEach(field => { field.value = location.pathname + location.search; });
    box.append(document.importNode(list, true));
    mark(); drawPicks();
  } catch { }
}, true);

// New episodes that a refresh has brought since are offered.
const notice = async () => {
  const days = $('#days', main()), news = $('#news', main());
  if (document.hidden || !days || !news) return;
  try {
    const { mark, count } = await json('/new/mark');
    if (!days.isConnected || mark === days.dataset.new || !news.hidden) return;
    $('span', news).textContent = count === 1 ? 'The list has changed: 1 episode is new.' : `The list has changed: ${count} episodes are new.`;
    news.hidden = false;
  } catch { }
};
setInterval(notice, 60000);
addEventListener('focus', notice);

// A page that comes back into view may be old.
let hiddenAt = 0;
document.addEventListener('visibilitychange', () => {
  if (document.hidden) { hiddenAt = Date.now(); return; }
  const focused = document.activeElement;
  if (Date.now() - hiddenAt > 60000 && ['/', '/queue', '/status'].includes(location.pathname)) go(location.href, { push: false, keep: true, focus: main().contains(focused) && place(focused) });
});

// The status page shows the end of a refresh. A link that is followed meanwhile goes first.
setInterval(async () => {
  const running = () => $('[data-refreshing]', main()), number = visit, focused = document.activeElement;
  if (document.hidden || !running()) return;
  try {
    const answer = await fetch(location.href, { headers: { Accept: 'text/html' } }), html = await answer.text();
    if (number !== visit || !running()) return;
    if (html.includes('data-refreshing')) $('.tiles').replaceWith(document.importNode($('.tiles', new DOMParser().parseFromString(html, 'text/html')), true));
    else show(html, answer.url, { push: false, keep: true, focus: main().contains(focused) && place(focused) });
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
const moveTo = async (row, to) => { if (await go('/queue/move', { request: { method: 'POST', body: new URLSearchParams({ episode: row.dataset.episode, to }) }, push: false, keep: true, focus: { key: row.dataset.episode } })) tell('Moved.', 'Undo', undo); };

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
  const key = event.key;
  if (typed) { if (event.key === 'Escape' && !el.closest('dialog')) { event.preventDefault(); el.blur(); } return; }
  if ($('#menu').open || $('#ask').open) return;
  if (key === 'Escape' && player.classList.contains('open')) { event.preventDefault(); openPlayer(false); $('#p-open').focus(); return; }
  if (key === 'Escape' && picking) { event.preventDefault(); pick(false); return; }
  if ($('#keys').open) { if (event.key === '?') { event.preventDefault(); acts.help(); } return; }
  const row = el.closest('.row') || $('.acts.row', main());
  if (prefix) { prefix = false; const a = $(`.top [data-go="g ${key}"]`); if (a) { event.preventDefault(); go(a.href, { push: true }); } return; }
  if (event.shiftKey && (key === 'ArrowUp' || key === 'ArrowDown')) { const q = el.closest('[data-queue] .row'); if (q) { event.preventDefault(); const b = $(`[data-move="${key === 'ArrowUp' ? 'up' : 'down'}"]`, q); if (!b.disabled) b.click(); } return; }
  if (key === 'g') { prefix = true; setTimeout(() => { prefix = false; }, 1500); return; }
  if (key === '?') { event.preventDefault(); acts.help(); return; }
  if (key === '/') { event.preventDefault(); const box = $('input[type=search]', main()); box ? (box.focus(), box.select()) : go('/search', { push: true }); return; }
  if (key === 'j' || key === 'k') { event.preventDefault(); step(key === 'j' ? 1 : -1); return; }
  if (key === 'n') { acts.next(); return; }
  if (key === 'm') { acts.mark(); return; }
  if (key === 'u') { const act = $('#told-act').onclick; if (act) act(); return; }
  if (key === ' ' && !el.matches('button, summary, a[role=button], [tabindex="0"]:not(.transcript)')) { if (now) { event.preventDefault(); acts.toggle(); } return; }
  if ((key === 'ArrowLeft' || key === 'ArrowRight') && now && !el.matches('input')) { event.preventDefault(); key === 'ArrowLeft' ? acts.back() : acts.forward(); return; }
  if (key === 'x' && el.closest('li.row')) {
    const id = el.closest('li.row').dataset.episode;
    if (!picking) { pick(true, id); return; }
    const box = $('.pick input', el.closest('li.row'));
    box.checked = !box.checked; drawPicked();
    return;
  }
  if (row && 'pased'.includes(key) && key.length === 1) { const button = $(`[data-k="${key}"]`, row); if (button) { event.preventDefault(); button.click(); } }
});
paint(theme());
hint(...$$('[data-hint]', player));
arrived();
if (history.state && history.state.y) scrollTo(0, history.state.y); else caret();
reopen();
reportUntold();
})();
