// What the tests ask a page.

// called says which element it is.
var called = (e) => [e.tagName.toLowerCase(), e.id && "#" + e.id, ...[...e.classList].map((c) => "." + c)].filter(Boolean).join("");
var visible = (e) => e.checkVisibility({ contentVisibilityAuto: true, opacityProperty: true, visibilityProperty: true });
var shown = (selector) => [...document.querySelectorAll(selector)].filter(visible).map(called);
var unfold = () => { for (const d of document.querySelectorAll("details")) d.open = true; return null; };
var to = (y) => { scrollTo({ top: y, behavior: "instant" }); return null; };

// places are where screenshots are taken: below the top, and at the first articles.
var places = () => {
  const tops = [...document.querySelectorAll(".overview, .grammar, article")].slice(0, 6).map((e) => e.getBoundingClientRect().top + scrollY - 16);
  return [...tops, ...[...document.querySelectorAll("article h3")].slice(0, 3).map((e) => e.getBoundingClientRect().top + scrollY - 16)].map(Math.round);
};

// wide is what makes the page scroll sideways. A phone's innerWidth grows with what does not fit: it is no measure.
var wide = () => {
  const room = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= room) return [];
  return ["the page: " + document.documentElement.scrollWidth, ...[...document.body.querySelectorAll("*")]
    .filter((e) => visible(e) && e.getBoundingClientRect().right > room + 0.5 && !e.closest(".scroll, .frame, pre")).slice(0, 10).map(called)];
};

// faint is text whose contrast with what lies behind it is below 4.5 (WCAG 2.1, 1.4.3).
var faint = () => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const rgba = (color) => {
    if (!known.has(color)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
      known.set(color, [r, g, b, a / 255]);
    }
    return known.get(color);
  };
  const over = ([r, g, b, a], [x, y, z]) => [r * a + x * (1 - a), g * a + y * (1 - a), b * a + z * (1 - a), 1];
  const behind = (e) => {
    if (!e) return [255, 255, 255, 1];
    const c = rgba(getComputedStyle(e).backgroundColor);
    return c[3] === 1 ? c : over(c, behind(e.parentElement));
  };
  const luminance = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, weight, i) => {
    const x = c[i] / 255;
    return sum + weight * (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
  }, 0);
  const found = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let texts = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const e = node.parentElement;
    if (!node.data.trim() || e.closest("svg, script, style") || !visible(e)) continue;
    texts++;
    const back = behind(e), ink = over(rgba(getComputedStyle(e).color), back);
    const [x, y] = [luminance(ink) + 0.05, luminance(back) + 0.05];
    const ratio = Math.max(x, y) / Math.min(x, y);
    if (ratio < 4.5) found.set(called(e), `${called(e)} in ${called(e.parentElement)}: ${ratio.toFixed(2)} (${node.data.trim().slice(0, 30)})`);
  }
  if (texts < 10) return [`only ${texts} texts were seen`];
  return [...found.values()];
};

var undescribed = () => [...document.querySelectorAll("svg")].filter((svg) => {
  if (svg.closest("[aria-hidden=true]")) return false;
  const words = (svg.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent ?? "");
  const uses = [...svg.querySelectorAll("use")].every((use) => document.getElementById(use.getAttribute("href").slice(1)));
  return svg.getAttribute("role") !== "img" || words.length !== 2 || words.some((word) => word.length < 10) || !uses;
}).map(called);

// scales are the sizes that figures are drawn at, in pixels for a point.
var scales = () => [...new Set([...document.querySelectorAll("figure .plot")].filter(visible)
  .map((svg) => Math.round(100 * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width) / 100))];

var twice = () => {
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  return [...new Set(ids.filter((id, i) => ids.indexOf(id) !== i))];
};

var links = () => [...new Set([...document.querySelectorAll("a[href]")].map((a) => a.getAttribute("href")))];

// filters are selectors of one filter of each kind, and kept is what such a filter shows.
var filters = () => [".overview .filter", ".data .filter"].filter((selector) => document.querySelector(selector));
var kept = (selector) => {
  const filter = document.querySelector(selector);
  const rows = filter.closest(".data")?.querySelectorAll("tbody tr") ?? document.querySelectorAll(".overview li, article");
  return [...rows].filter(visible).map(called);
};
