/** Recordings of machines that run, and of lines written by hand, as an index. */
import t from "tap";
import { type AnyActorRef, type AnyStateMachine, createActor } from "xstate";
import { createRecorder } from "../../../../src/visualizer/recording/recorder.ts";
import { type Answers, pairAnswers } from "../../../../src/visualizer/timeline/answers.ts";
import { openGrowingRecording } from "../../../../src/visualizer/timeline/growing_recording.ts";
import type { IndexedActor, TimelineIndex } from "../../../../src/visualizer/timeline/timeline_index.ts";
import { newPath, written } from "./written_recording.ts";

export interface Recorded {
  index: TimelineIndex;
  answers: Answers;
  /** Where the recording ends. */
  end: number;
  /** The one of this name that began last. */
  actor(id: string): IndexedActor;
}

/** What a machine leaves behind while `act` has it act; it is not ended before the recording is. */
export async function recorded(
  machine: AnyStateMachine,
  act: (actor: AnyActorRef) => void | Promise<void> = () => {},
  input?: unknown,
): Promise<Recorded> {
  const path = await newPath();
  const recorder = createRecorder({ redact: (text) => text, remember: 0, about: () => ({ pth: "1.0.0" }) });
  await recorder.writeTo(path);
  const actor = createActor(machine, { input, inspect: (event) => recorder.inspect(event) });
  actor.start();
  await act(actor);
  await recorder.close();
  actor.stop();
  return await opened(path);
}

export const fromLines = async (lines: readonly unknown[]): Promise<Recorded> =>
  await opened(await written(lines));

async function opened(path: string): Promise<Recorded> {
  const recording = await openGrowingRecording(path);
  t.teardown(() => recording.close());
  await recording.readAll();
  recording.finish();
  t.same(recording.problems, []);
  const { index } = recording;
  return {
    index,
    answers: pairAnswers(index),
    end: index.length,
    actor(id) {
      const found = index.actors.findLast((one) => one.id === id);
      if (found === undefined) {
        throw new Error(`Cannot find actor ${id}: ${index.actors.map(({ id }) => id)}`);
      }
      return found;
    },
  };
}

/** Everything that was sent by now has been heard, and work that was done has told so. */
export const settle = (ms = 20): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
