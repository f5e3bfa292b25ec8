"use strict";
// Brings the page up to date by asking the server for it again; the server draws, this only swaps the middle in.
(() => {
  const live = document.getElementById("live");
  let last = Date.now();
  const say = (text, lost) => { live.textContent = text; live.className = lost ? "lost" : "quiet"; live.setAttribute("role", lost ? "alert" : "none"); };
  const critical = (page) => [...page.querySelectorAll(".alarms .critical")];
  // What became critical since the last look is read out to those who do not see it.
  function announce(old, fresh) {
    const known = new Set(critical(old).map((li) => li.dataset.key)), news = critical(fresh).filter((li) => !known.has(li.dataset.key));
    if (news.length) document.getElementById("news").textContent = news.map((li) => li.textContent).join(". ");
  }
  const period = () => Math.max(1000, Number(document.getElementById("main").dataset.period) || 2000);
  async function refresh() {
    if (!document.hidden) {
      try {
        const answer = await fetch(location.pathname, {cache: "no-cache", signal: AbortSignal.timeout(5000)});
        if (!answer.ok) throw new Error("answer " + answer.status);
        const next = new DOMParser().parseFromString(await answer.text(), "text/html");
        const old = document.getElementById("main"), fresh = next.getElementById("main");
        const banner = old.querySelector("#banner"), news = fresh.querySelector("#banner");
        // The banner is a live region: it stays, and only changes when it has something new to say.
        if (banner.textContent.replace(/\d+/g, "") !== news.textContent.replace(/\d+/g, "")) banner.replaceChildren(...news.childNodes);
        news.replaceWith(banner);
        announce(old, fresh);
        old.replaceWith(fresh);
        document.title = next.title;
        last = Date.now();
        say("Live.", false);
      } catch (e) {
        say("✖ The exporter has not answered for " + Math.round((Date.now() - last) / 1000) + " s: what is shown above is old.", true);
      }
    }
    setTimeout(refresh, period());
  }
  document.addEventListener("visibilitychange", () => { if (!document.hidden) say("Updating…", false); });
  setTimeout(refresh, period());
})();
