// A page that flashes a canvas and beeps once a second by one clock, that of its AudioContext, and publishes both with
// the SDK.
async ({ url, name }) => {
  const { Meeting } = await import("/sdk/parley.js");
  const context = new AudioContext({ sampleRate: 48000 });
  await context.resume();
  const gain = new GainNode(context, { gain: 0 });
  const destination = new MediaStreamAudioDestinationNode(context);
  const tone = new OscillatorNode(context, { frequency: 1000 });
  tone.connect(gain).connect(destination);
  tone.start();
  const first = Math.ceil(context.currentTime) + 1;
  for (let second = first; second < first + 120; second += 1) {
    gain.gain.setValueAtTime(0.5, second);
    gain.gain.setValueAtTime(0, second + 0.1);
  }
  const canvas = Object.assign(document.createElement("canvas"), { width: 640, height: 360 });
  document.body.replaceChildren(canvas);
  const drawing = canvas.getContext("2d");
  const draw = () => {
    requestAnimationFrame(draw);
    const now = context.currentTime;
    const isFlash = now >= first && now % 1 < 0.1;
    drawing.fillStyle = isFlash ? "#fff" : "#204060";
    drawing.fillRect(0, 0, 640, 360);
    // The bar's start says how much of the second is over, so that each picture shows when it was drawn.
    drawing.fillStyle = "#c06020";
    drawing.fillRect((now % 1) * 640, 320, 40, 30);
  };
  draw();
  window.parley = await Meeting.join({
    url, name, camera: canvas.captureStream(30).getVideoTracks()[0], microphone: destination.stream.getAudioTracks()[0],
  });
}
