// The search of the site: the index of index.js by the ranking of lua/moonarray/help/find.lua, which this follows line
// by line.
(function () {
  "use strict";
  var COMMON = ("a an and are as at be by can do does for from have how i if in into is it its make me my of on one " +
    "or the there this to use using want what when where which why with without").split(" ");
  var MOST = 26, stems = [], coded = {}, decoded = {}, count = SITE.sections.length;

  // ==== Words ====
  function once(word) { return word.replace(/([bdfglmnprstz])\1$/, "$1"); }

  function stem_of(word) {
    if (word.length < 4 || /[0-9_]/.test(word)) return word;
    var stem = word;
    if (stem.length > 4 && /ies$/.test(stem)) stem = stem.slice(0, -3) + "y";
    else if (!/[isu]s$/.test(stem) && /s$/.test(stem)) stem = stem.slice(0, -1);
    ["ing", "ed"].forEach(function (ending) {
      var rest = stem.slice(-ending.length) === ending ? stem.slice(0, -ending.length) : "";
      if (rest.length >= 3 && /[aeiouy]/.test(rest)) stem = rest;
      stem = once(stem);
    });
    if (stem.length > 6 && /[st]ion$/.test(stem)) stem = stem.slice(0, -3);
    if (stem.length > 3 && /e$/.test(stem)) stem = stem.slice(0, -1);
    return once(stem);
  }

  function asked(question) {
    var all = [], rare = [];
    question = question.replace(/c\+\+/gi, "cpp").replace(/[öÖ]/g, "o");
    (question.match(/[A-Za-z0-9_]+/g) || []).forEach(function (token) {
      var low = token.toLowerCase().replace(/^_+|_+$/g, ""), word = [stem_of(low), low];
      if (low === "ma") return;
      all.push(word);
      if (COMMON.indexOf(low) < 0) rare.push(word);
    });
    return rare.length ? rare : all;
  }

  function whole_of(text) { return text.toLowerCase().trim().replace(/^ma[.:]/, "").replace(/^a:/, ""); }

  // ==== Questions ====
  function load() {
    if (stems.length) return;
    SITE.words.split("\n").forEach(function (line) {
      var space = line.indexOf(" "), stem = line.slice(0, space);
      stems.push(stem);
      coded[stem] = line.slice(space + 1);
    });
  }

  function places_of(stem) {
    if (!decoded.hasOwnProperty(stem)) {
      var list = [], at = 0, pattern = /([0-9a-z]*)([A-Z])/g, one;
      while ((one = pattern.exec(coded[stem]))) {
        at += one[1] === "" ? 1 : parseInt(one[1], 36);
        list.push([at - 1, one[2].charCodeAt(0) - 64]);
      }
      decoded[stem] = list;
    }
    return decoded[stem];
  }

  function stems_for(stem, word, is_last) {
    var list = coded.hasOwnProperty(stem) ? [[stem, 1]] : [];
    if (word.length > 1 && (is_last || !list.length)) {
      stems.forEach(function (other) {
        if (other !== stem && other.slice(0, word.length) === word)
          list.push([other, 0.4 * word.length / other.length]);
      });
    }
    if (!list.length && word.length > 2) {
      stems.forEach(function (other) {
        if (other.charAt(0) !== "=" && other.indexOf(word, 1) > 0) list.push([other, 0.2 * word.length / other.length]);
      });
    }
    return list;
  }

  function rank(question) {
    var words = asked(question), total = {}, covered = {};
    load();
    words.forEach(function (word, k) {
      var best = {};
      stems_for(word[0], word[1], k === words.length - 1).forEach(function (pair) {
        var places = places_of(pair[0]), worth = pair[1] * Math.log(1 + count / places.length);
        places.forEach(function (place) {
          if (worth * place[1] > (best[place[0]] || 0)) best[place[0]] = worth * place[1];
        });
      });
      Object.keys(best).forEach(function (section) {
        total[section] = (total[section] || 0) + best[section];
        covered[section] = (covered[section] || 0) + 1;
      });
    });
    var phrase = "=" + words.map(function (word) { return word[0]; }).join("+");
    var whole = coded.hasOwnProperty(phrase) ? places_of(phrase) : [];
    whole.forEach(function (place) {
      total[place[0]] = (total[place[0]] || 0) + place[1] * Math.log(1 + count / whole.length);
    });
    var title = whole_of(question);
    return Object.keys(total).map(function (section) {
      var share = (covered[section] || 0) / words.length, score = total[section];
      if (whole_of(SITE.sections[section][0]) === title) score += 2 * MOST * Math.log(1 + count);
      return [SITE.sections[section][3] || 0, Math.floor(score * share * share * 1000 + 0.5), +section];
    }).sort(function (a, b) { return a[0] - b[0] || b[1] - a[1] || a[2] - b[2]; });
  }

  // ==== The page ====
  var input = document.getElementById("search"), found = document.getElementById("found"), on = 0;
  var root = document.body.getAttribute("data-root");

  function show() {
    found.textContent = "";
    on = 0;
    if (!input.value.trim()) return;
    var hits = rank(input.value);
    hits.slice(0, 20).forEach(function (hit, k) {
      var section = SITE.sections[hit[2]], page = SITE.pages[section[2]];
      var item = document.createElement("li"), a = document.createElement("a"), small = document.createElement("small");
      a.href = root + page[0] + (section[1] ? "#" + section[1] : "");
      a.textContent = section[0] + " ";
      small.textContent = section[1] ? page[1] : "";
      a.appendChild(small);
      if (k === 0) a.className = "on";
      item.appendChild(a);
      found.appendChild(item);
    });
    if (!hits.length) found.innerHTML = "<li><a>nothing found</a></li>";
  }

  input.addEventListener("input", show);
  input.addEventListener("keydown", function (event) {
    var links = found.querySelectorAll("a[href]");
    if (event.key === "Enter" && links[on]) location.href = links[on].href;
    if (event.key === "Escape") { input.value = ""; show(); }
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!links.length) return;
      links[on].className = "";
      on = (on + (event.key === "ArrowDown" ? 1 : links.length - 1)) % links.length;
      links[on].className = "on";
      links[on].scrollIntoView({ block: "nearest" });
      event.preventDefault();
    }
  });
  document.addEventListener("click", function (event) {
    if (event.target !== input && !found.contains(event.target)) found.textContent = "";
  });
  document.addEventListener("keydown", function (event) {
    if (event.key === "/" && document.activeElement !== input) { input.focus(); event.preventDefault(); }
  });
  if (location.search.indexOf("?q=") === 0) {
    input.value = decodeURIComponent(location.search.slice(3).replace(/\+/g, " "));
    show();
  }
})();
