/** Our own icons, 24 × 24, drawn with a round 1.8 stroke. A part that starts with `f:` is filled. */
const shapes = {
  microphone: ["M12 3.5a2.8 2.8 0 0 0-2.8 2.8v5.2a2.8 2.8 0 0 0 5.6 0V6.3A2.8 2.8 0 0 0 12 3.5Z", "M5.8 11.2a6.2 6.2 0 0 0 12.4 0", "M12 17.6v3M9 20.6h6"],
  microphoneOff: ["M9.2 9.4v2.1a2.8 2.8 0 0 0 4.6 2.1", "M14.8 10V6.3a2.8 2.8 0 0 0-5.4-1", "M5.8 11.2a6.2 6.2 0 0 0 10 4.9M18.2 11.2c0 .9-.2 1.8-.6 2.6", "M12 17.6v3M9 20.6h6", "M4 3.5l16 17"],
  camera: ["M3.5 8.2c0-1 .8-1.7 1.7-1.7h8.6c1 0 1.7.8 1.7 1.7v7.6c0 1-.8 1.7-1.7 1.7H5.2c-1 0-1.7-.8-1.7-1.7Z", "M15.5 11l5-3.2v8.4l-5-3.2"],
  cameraOff: ["M10 6.5h3.8c1 0 1.7.8 1.7 1.7v3.3M15.5 15.8c0 1-.8 1.7-1.7 1.7H5.2c-1 0-1.7-.8-1.7-1.7V8.2c0-.9.6-1.6 1.4-1.7", "M15.5 11l5-3.2v8.4l-2.6-1.7", "M4 3.5l16 17"],
  screen: ["M3.5 6.2c0-.7.5-1.2 1.2-1.2h14.6c.7 0 1.2.5 1.2 1.2v9.1c0 .7-.5 1.2-1.2 1.2H4.7c-.7 0-1.2-.5-1.2-1.2Z", "M8.5 20h7", "M12 13.5V8.2M9.6 10.4 12 8l2.4 2.4"],
  screenStop: ["M3.5 6.2c0-.7.5-1.2 1.2-1.2h14.6c.7 0 1.2.5 1.2 1.2v9.1c0 .7-.5 1.2-1.2 1.2H4.7c-.7 0-1.2-.5-1.2-1.2Z", "M8.5 20h7", "M9.8 8.6l4.4 4.4M14.2 8.6 9.8 13"],
  chat: ["M4 6.6C4 5.4 5 4.5 6.100 4.500h11.800c1.200 0 2.100 1 2.100 2.100v7.300c0 1.200-1 2.100-2.100 2.100H11l-4.600 4v-4h-.300C5 16 4 15 4 13.900Z", "M8 8.700h8M8 12h5"],
  people: ["M9 11.200a3.300 3.300 0 1 0 0-6.600 3.300 3.300 0 0 0 0 6.600Z", "M2.900 19.400c.400-3.200 2.800-5.200 6.100-5.200s5.700 2 6.100 5.200", "M15.600 4.900a3.200 3.200 0 0 1 0 6M17.600 14.500c2 .700 3.200 2.400 3.500 4.900"],
  link: ["M10.200 13.800a3.900 3.900 0 0 0 5.600 0l3.200-3.200a4 4 0 0 0-5.600-5.600l-1.200 1.200", "M13.800 10.200a3.900 3.900 0 0 0-5.600 0L5 13.400A4 4 0 0 0 10.600 19l1.200-1.200"],
  settings: ["M4 7.500h9M17 7.500h3M4 16.500h3M11 16.500h9", "M15 9.700a2.200 2.200 0 1 0 0-4.400 2.200 2.200 0 0 0 0 4.400Z", "M9 18.700a2.200 2.200 0 1 0 0-4.400 2.200 2.200 0 0 0 0 4.400Z"],
  leave: ["M13.500 4.500H6.700c-.700 0-1.200.500-1.200 1.200v12.600c0 .700.500 1.200 1.200 1.200h6.800", "M10.500 12h10M17 8.400l3.500 3.600-3.500 3.600"],
  pin: ["M9 4h6l-.700 6.200 3.200 3.300H6.500l3.200-3.300Z", "M12 13.500V20"],
  unpin: ["M9.200 5.900 9 4h6l-.600 5.400M16 12l1.500 1.500h-3.200M11 8.500l-1.300 1.700-3.200 3.300h5.500V20", "M4 3.500l16 17"],
  chart: ["M4.500 19.500h15", "M7 16v-3.500M12 16V8M17 16V4.500"],
  close: ["M6 6l12 12M18 6 6 18"],
  more: ["f:M5.500 13.700a1.700 1.700 0 1 0 0-3.400 1.700 1.700 0 0 0 0 3.400ZM12 13.700a1.700 1.700 0 1 0 0-3.400 1.700 1.700 0 0 0 0 3.400ZM18.500 13.700a1.700 1.700 0 1 0 0-3.400 1.700 1.700 0 0 0 0 3.400Z"],
  copy: ["M8.500 8.500h9.300c.900 0 1.700.800 1.700 1.700v7.600c0 .900-.800 1.700-1.700 1.700h-7.600c-.900 0-1.700-.800-1.700-1.700Z", "M15.500 8.500V6.200c0-.900-.800-1.700-1.700-1.700H6.200c-.900 0-1.700.800-1.700 1.700v7.600c0 .900.800 1.700 1.700 1.700h2.300"],
  check: ["M5 12.500l4.700 4.700L19.500 7"],
  share: ["M12 14.500V4M8.500 7.200 12 3.700l3.500 3.500", "M7 10.500H5.700c-.700 0-1.200.500-1.200 1.200v7.100c0 .700.500 1.200 1.200 1.200h12.600c.700 0 1.200-.500 1.200-1.200v-7.100c0-.700-.500-1.200-1.200-1.200H17"],
  send: ["M4.500 12 4 4.800l16.500 7.200L4 19.200Z", "M4.500 12H12"],
  help: ["M12 20.500a8.500 8.500 0 1 0 0-17 8.500 8.500 0 0 0 0 17Z", "M9.600 9.700a2.500 2.500 0 1 1 3.800 2.100c-.900.500-1.400 1-1.400 2", "f:M12 17.600a1 1 0 1 0 0-2 1 1 0 0 0 0 2Z"],
  chevron: ["M6.500 14.500 12 9l5.500 5.500"],
  speaker: ["M4 9.700h3.200L12 5.500v13l-4.800-4.200H4Z", "M15.300 9.200a4 4 0 0 1 0 5.600M17.800 6.700a7.500 7.500 0 0 1 0 10.600"],
  warning: ["M12 4.200 21 19.500H3Z", "M12 10v4.200", "f:M12 17.700a1 1 0 1 0 0-2 1 1 0 0 0 0 2Z"],
  offline: ["M3.500 9.500a13 13 0 0 1 4.800-2.900M20.500 9.500A13 13 0 0 0 11 6.100M6.600 13a8.500 8.500 0 0 1 4-2.200M17.400 13a8.500 8.500 0 0 0-2.100-1.500", "f:M12 19a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3Z", "M4 3.500l16 17"],
  fullscreen: ["M4.500 9V5.700c0-.700.500-1.200 1.200-1.200H9M15 4.500h3.300c.700 0 1.200.500 1.200 1.200V9M19.500 15v3.300c0 .700-.500 1.200-1.200 1.200H15M9 19.500H5.700c-.700 0-1.200-.500-1.200-1.200V15"],
  flip: ["M4.500 9.200c0-.900.700-1.700 1.700-1.700h2.100l1.300-2h4.800l1.300 2h2.100c1 0 1.700.800 1.700 1.700v8.100c0 .900-.700 1.700-1.700 1.700H6.200c-1 0-1.700-.800-1.700-1.700Z", "M9.300 13.200a2.800 2.800 0 0 1 5-1.700M14.700 13a2.800 2.800 0 0 1-5 1.700", "M14.500 9.800v1.800h-1.800M9.500 16.400v-1.800h1.800"],
  sun: ["M12 16.200a4.200 4.200 0 1 0 0-8.400 4.200 4.200 0 0 0 0 8.400Z", "M12 2.800v2M12 19.200v2M2.800 12h2M19.200 12h2M5.500 5.500l1.400 1.400M17.100 17.100l1.400 1.400M18.500 5.500l-1.400 1.400M6.900 17.100l-1.400 1.400"],
  moon: ["M19.800 14.300A8.300 8.300 0 0 1 9.700 4.200a8.300 8.300 0 1 0 10.100 10.100Z"],
  plus: ["M12 5v14M5 12h14"],
  arrow: ["M4.500 12h15M13.500 6l6 6-6 6"],
  lock: ["M6.700 10.500h10.600c.800 0 1.400.600 1.400 1.400v6.700c0 .800-.600 1.400-1.400 1.400H6.700c-.800 0-1.400-.600-1.400-1.400v-6.700c0-.800.600-1.400 1.400-1.400Z", "M8 10.500V7.900a4 4 0 0 1 8 0v2.600", "M12 14v2.500"],
  unlock: ["M6.700 10.500h10.600c.800 0 1.400.600 1.400 1.400v6.700c0 .800-.600 1.400-1.400 1.400H6.700c-.800 0-1.400-.600-1.400-1.400v-6.700c0-.800.600-1.400 1.400-1.400Z", "M8 10.500V6.900a4 4 0 0 1 7.700-1.500", "M12 14v2.500"],
  clock: ["M12 20.500a8.500 8.500 0 1 0 0-17 8.500 8.500 0 0 0 0 17Z", "M12 7.500V12l3 2"],
};

const namespace = "http://www.w3.org/2000/svg";

/**
 * An icon, hidden from screen readers: what carries it has a label.
 *
 * @param {keyof typeof shapes} name
 * @returns {SVGSVGElement}
 */
export function icon(name) {
  const svg = document.createElementNS(namespace, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("focusable", "false");
  for (const shape of shapes[name] ?? []) {
    const path = document.createElementNS(namespace, "path");
    const filled = shape.startsWith("f:");
    path.setAttribute("d", filled ? shape.slice(2) : shape);
    path.setAttribute("class", filled ? "filled" : "line");
    svg.append(path);
  }
  return svg;
}

/** The mark of Parley: a P that is a speech bubble. @returns {SVGSVGElement} */
export function mark() {
  const svg = document.createElementNS(namespace, "svg");
  svg.setAttribute("viewBox", "0 0 32 32");
  svg.setAttribute("class", "mark");
  svg.setAttribute("aria-hidden", "true");
  for (const [shape, name] of [
    ["M17.500 3.500a9.700 9.700 0 1 1-5.300 17.800L7.400 28.500c-.500.700-1.500.300-1.500-.500V13.200A9.700 9.700 0 0 1 15.600 3.500Z", "mark-bubble"],
    ["M16.600 17a3.800 3.800 0 1 0 0-7.600 3.800 3.800 0 0 0 0 7.600Z", "mark-dot"],
  ]) {
    const path = document.createElementNS(namespace, "path");
    path.setAttribute("d", shape);
    path.setAttribute("class", name);
    svg.append(path);
  }
  return svg;
}

/**
 * Three bars for the quality of a connection.
 *
 * @returns {{element: SVGSVGElement, set: (quality: string) => void}}
 */
export function qualityBars() {
  const svg = document.createElementNS(namespace, "svg");
  svg.setAttribute("viewBox", "0 0 16 14");
  svg.setAttribute("class", "bars");
  svg.setAttribute("aria-hidden", "true");
  for (let index = 0; index < 3; index += 1) {
    const bar = document.createElementNS(namespace, "rect");
    const height = 5 + index * 4;
    bar.setAttribute("x", String(1 + index * 5));
    bar.setAttribute("y", String(13.5 - height));
    bar.setAttribute("width", "3.4");
    bar.setAttribute("height", String(height));
    bar.setAttribute("rx", "1.2");
    svg.append(bar);
  }
  return { element: svg, set: (quality) => svg.setAttribute("data-quality", quality) };
}
