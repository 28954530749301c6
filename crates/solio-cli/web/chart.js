// Of the pages with one chart: the data, numbers as text, shapes, and what is said of those.
const data = JSON.parse(document.getElementById("data").textContent);
const chart = document.getElementById("chart");
const figures = (v) => v >= 100 ? v.toFixed(0) : v >= 10 ? v.toFixed(1) : v >= 1 ? v.toFixed(2) : v.toPrecision(2);
const make = (name, attributes, text, into = chart) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  into.append(node);
  return node;
};
const speak = (name, attributes, words) => {
  const node = make(name, { ...attributes, role: "img", tabindex: 0, "aria-label": words });
  const say = () => { document.getElementById("said").textContent = words; };
  for (const event of ["mouseenter", "focus"]) node.addEventListener(event, say);
  return node;
};
const addRow = (cells) => {
  const row = document.getElementById("rows").insertRow();
  for (const cell of cells) row.insertCell().textContent = cell;
};
