"use strict";
(() => {
  // The questions are filtered by words, those of their answers and claims included.
  const overview = document.querySelector(".overview");
  const items = [...overview.querySelectorAll("li")].map((item) => {
    const article = document.getElementById(item.querySelector("a").hash.slice(1));
    const texts = [item, ...article.querySelectorAll(".claim > summary, .findings, .eyebrow")].map((e) => e.textContent);
    return { item, article, text: texts.join(" ").toLowerCase() };
  });
  const filter = Object.assign(document.createElement("input"), { type: "search", className: "filter", placeholder: "Questions that mention …" });
  filter.setAttribute("aria-label", "Show only questions that mention all of these words");
  filter.addEventListener("input", () => {
    const words = filter.value.toLowerCase().split(/\s+/);
    for (const { item, article, text } of items) item.hidden = article.hidden = !words.every((word) => text.includes(word));
    for (const chapter of document.querySelectorAll(".chapter")) chapter.hidden = !chapter.querySelector("article:not([hidden])");
  });
  overview.querySelector("h2").after(filter);

  // The contents show where the reader is.
  const links = new Map([...document.querySelectorAll(".contents a")].map((link) => [link.hash.slice(1), link]));
  let current;
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      current?.removeAttribute("aria-current");
      current = links.get(entry.target.id);
      current?.setAttribute("aria-current", "true");
    }
  }, { rootMargin: "-20% 0px -75% 0px" });
  for (const { article } of items) seen.observe(article);

  // A link into a fold opens it.
  const open = () => { document.getElementById(location.hash.slice(1))?.closest("details")?.setAttribute("open", ""); };
  addEventListener("hashchange", open);
  open();
})();
