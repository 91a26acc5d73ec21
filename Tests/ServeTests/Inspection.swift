/// What can be seen to be wrong with a page.
enum Inspection {
    /// The most that a page may shift while it loads; what browsers round is less.
    static let maxShift = 0.002

    /// Lists the problems of a page: too wide, without a label, too faint, too small, out of order.
    static let script = #"""
        (() => {
          const wrong = [], name = e => e.outerHTML.slice(0, 120);
          const shown = e => e.getClientRects().length && getComputedStyle(e).visibility !== 'hidden';
          if (document.documentElement.scrollWidth > innerWidth) wrong.push('wider than the window: ' + document.documentElement.scrollWidth);
          if (document.documentElement.lang === '') wrong.push('no language');
          if (!document.title) wrong.push('no title');
          const shifts = new PerformanceObserver(() => {});
          shifts.observe({ type: 'layout-shift', buffered: true });
          // The first page after a resize may still see it; Chromium says so as if a user had made it.
          if (shifts.takeRecords().reduce((sum, shift) => sum + (shift.hadRecentInput ? 0 : shift.value), 0) > \#(maxShift)) wrong.push('the layout shifts');
          for (const e of document.querySelectorAll('button')) {
            if (!shown(e) || !e.textContent.trim()) continue;
            const range = document.createRange();
            range.selectNodeContents(e);
            if (/^\S+$/.test(e.innerText.trim()) && new Set([...range.getClientRects()].map(r => Math.round(r.top / 16))).size > 2) wrong.push('a word is broken: ' + name(e));
          }
          for (const row of document.querySelectorAll('li.row')) {
            const boxes = [...row.children].filter(shown).map(e => e.getBoundingClientRect());
            for (let i = 1; i < boxes.length; i++) for (let j = 0; j < i; j++) {
              const [a, b] = [boxes[i], boxes[j]];
              if (a.left < b.right - 8 && b.left < a.right - 8 && a.top < b.bottom - 8 && b.top < a.bottom - 8) wrong.push('one lies on another: ' + name(row));
            }
            const cover = row.querySelector('.cover');
            if (cover && !row.closest('.of-one') && !shown(cover)) wrong.push('no cover: ' + name(row));
          }
          const bar = document.querySelector('#player');
          for (const e of bar.querySelectorAll('button, select, input')) {
            const box = e.getBoundingClientRect();
            if (shown(e) && (box.left < 0 || box.right > innerWidth + 1 || box.width < 24)) wrong.push('cut off: ' + name(e));
          }
          if (document.querySelectorAll('main').length !== 1) wrong.push('not one main');
          if (document.querySelectorAll('h1').length !== 1) wrong.push('not one h1');
          if (!document.querySelector('header nav[aria-label]')) wrong.push('no navigation');
          let last = 1;
          for (const h of [...document.querySelectorAll('main h1, main h2, main h3')].filter(shown)) {
            const level = Number(h.tagName[1]);
            if (level > last + 1) wrong.push('heading skips: ' + name(h));
            last = level;
          }
          for (const e of document.querySelectorAll('button, a[href], input:not([type=hidden]), select')) {
            if (!shown(e) || e.closest('[aria-hidden=true]')) continue;
            const label = e.getAttribute('aria-label') || e.textContent.trim() || (e.labels && [...e.labels].map(l => l.textContent.trim()).join('')) || e.title;
            if (!label) wrong.push('no name: ' + name(e));
            const box = e.getBoundingClientRect();
            if (e.matches('button, select') && box.height < 24) wrong.push('small target: ' + name(e));
          }
          for (const img of document.querySelectorAll('img')) if (!img.hasAttribute('alt')) wrong.push('no alt: ' + name(img));
          const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
          for (const id of new Set(ids)) if (ids.filter(i => i === id).length > 1) wrong.push('twice: #' + id);
          for (const e of document.querySelectorAll('[onclick], [onload], [onerror], script:not([src]), style')) wrong.push('inline code: ' + name(e));
          const parse = c => { const m = c.match(/[\d.]+/g).map(Number); return m.length < 4 ? [...m, 1] : m; };
          const light = c => { const f = c.slice(0, 3).map(v => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; }); return .2126 * f[0] + .7152 * f[1] + .0722 * f[2]; };
          const ground = e => { for (let p = e; p; p = p.parentElement) { const c = parse(getComputedStyle(p).backgroundColor); if (c[3] === 1) return c; } return [255, 255, 255, 1]; };
          for (const e of document.querySelectorAll('main *, header *, footer *')) {
            if (!shown(e) || e.closest('[disabled], [aria-hidden=true], .sprite, .done') || ![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())) continue;
            const style = getComputedStyle(e), a = light(parse(style.color)), b = light(ground(e));
            const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05), size = parseFloat(style.fontSize);
            if (ratio < (size >= 24 || size >= 18.66 && style.fontWeight >= 700 ? 3 : 4.5)) wrong.push('contrast ' + ratio.toFixed(2) + ': ' + name(e));
            if (size < 11) wrong.push('small text: ' + name(e));
          }
          return wrong.join('\n');
        })()
        """#
}
