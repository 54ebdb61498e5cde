/**
 * How long the steps of exchanging keys take, in milliseconds; `KeyTiming` in Swift says what each is.
 *
 * @typedef {object} KeyTiming
 */

/** The times of the design. @type {Readonly<KeyTiming>} */
export const standardTiming = Object.freeze({
  joinBatch: 500, joinBurst: 4, joinSpacing: 100, joinTolerance: 2_000, leaveBatch: 1_000, rotationSpacing: 500, acknowledgements: 2_000,
  lifetime: 3_600_000, grace: 10_000, requestDelay: 1_000, requestSpacing: 2_000, missingEnd: 5_000, rosterTolerance: 10_000, indexTrial: 5_000,
});

/**
 * Why a frame was not sent or not played: `noKey`, `wrongSender`, `wrongTrack`, `malformed`, or a code of
 * `SFrameError`. None of these ever leads to a plain frame.
 */
export class FrameDrop extends Error {
  /** @param {string} code */
  constructor(code) {
    super(`The frame was dropped: ${code}.`);
    this.code = code;
  }
}
