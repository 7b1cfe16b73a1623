// All of this only adds to a page that is whole without it.
"use strict";
(() => {
  const make = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  // The theme: as the system's, until the reader chooses.
  const root = document.documentElement;
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const theme = make("button", { type: "button", className: "theme" });
  const name = () => { theme.textContent = dark() ? "Light" : "Dark"; };
  theme.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; name(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name);
  name();
  document.body.prepend(theme);

  // Commands are copied; where the page may not, they are selected.
  for (const block of document.querySelectorAll(".command")) {
    const code = block.querySelector("code");
    const button = make("button", { type: "button", textContent: "Copy" });
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(code);
        button.textContent = "Selected";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    block.append(button);
  }

  // Figures open large.
  if (window.HTMLDialogElement) {
    for (const figure of document.querySelectorAll("figure")) {
      const plot = figure.querySelector(".plot");
      const caption = figure.querySelector("figcaption");
      if (!plot || !caption) continue;
      const button = make("button", { type: "button", textContent: "Enlarge" });
      button.addEventListener("click", () => {
        const copy = plot.cloneNode(true);
        copy.setAttribute("aria-label", plot.querySelector("title").textContent);
        copy.removeAttribute("aria-labelledby");
        for (const named of copy.querySelectorAll("[id]")) named.remove();
        const close = make("button", { type: "button", textContent: "Close" });
        const dialog = make("dialog", { className: "large" }, copy, close);
        close.addEventListener("click", () => dialog.close());
        dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
        dialog.addEventListener("close", () => { dialog.remove(); button.focus(); });
        document.body.append(dialog);
        dialog.showModal();
      });
      caption.prepend(button);
    }
  }

  // Tables are sorted by a click on a head, and filtered where they are long. A number may be followed by its bounds, as
  // in 12 (11..14).
  const value = (row, column, number) => {
    const text = row.cells[column].textContent;
    if (!number) return text;
    const x = parseFloat(text);
    return Number.isNaN(x) ? "" : x;
  };
  for (const table of document.querySelectorAll(".data table")) {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = make("button", { type: "button" }, ...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        const number = head.classList.contains("n");
        const before = (a, b) => {
          const x = value(a, column, number), y = value(b, column, number);
          if (x === "" || y === "") return (x === "") - (y === ""); // what is missing comes last
          return (number ? x - y : x.localeCompare(y)) * (down ? -1 : 1);
        };
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        body.append(...[...body.rows].sort(before));
      });
    });
    if (body.rows.length > 12) {
      const filter = make("input", { type: "search", className: "filter", placeholder: "Rows that contain …" });
      filter.setAttribute("aria-label", "Show only rows that contain all of these words");
      filter.addEventListener("input", () => {
        const words = filter.value.toLowerCase().split(/\s+/);
        for (const row of body.rows) {
          const text = [...row.cells].map((cell) => cell.textContent).join(" ").toLowerCase();
          row.hidden = !words.every((word) => text.includes(word));
        }
      });
      table.parentElement.before(filter);
    }
  }
})();
