import type { Answer, FormField, FormQuestion, FormValue } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { useWords } from "../../store/use-panel.ts";

/** What has been filled in so far: choices by value, and the text of "Something else". */
interface FieldState {
  readonly text: string;
  readonly chosen: readonly string[];
  readonly isOther: boolean;
}

type Problem = "ask.required" | "ask.number";

function initialState({ input, initial }: FormField): FieldState {
  if (input === "many-of") return { text: "", chosen: Array.isArray(initial) ? initial : [], isOther: false };
  if (input === "one-of") return { text: "", chosen: typeof initial === "string" ? [initial] : [], isOther: false };
  if (input === "boolean") return { text: "", chosen: initial === true ? ["yes"] : [], isOther: false };
  return { text: initial === undefined ? "" : String(initial), chosen: [], isOther: false };
}

/** The value of a field, undefined where nothing was given, or what is wrong with it. */
function valueOf(field: FormField, state: FieldState): { readonly value?: FormValue; readonly problem?: Problem } {
  const text = state.text.trim();
  const missing = field.isRequired ? ({ problem: "ask.required" } as const) : {};
  const other = state.isOther && text !== "" ? [text] : [];
  switch (field.input) {
    case "boolean":
      return { value: state.chosen.length > 0 };
    case "many-of": {
      const value = [...state.chosen, ...other];
      return value.length === 0 ? missing : { value };
    }
    case "one-of": {
      const [value] = state.isOther ? other : state.chosen;
      return value === undefined ? missing : { value };
    }
    case "number":
      if (text === "") return missing;
      return Number.isFinite(Number(text)) ? { value: Number(text) } : { problem: "ask.number" };
    case "text":
      return text === "" ? missing : { value: state.text };
  }
}

/** A question of the model's with fields to fill in. */
export function FormView({
  question,
  answer,
}: {
  readonly question: FormQuestion;
  readonly answer: (answer: Answer) => () => void;
}): JSX.Element {
  const words = useWords();
  const [states, setStates] = useState(() => question.fields.map(initialState));
  const [isChecked, setChecked] = useState(false);
  const results = question.fields.map((field, index) => valueOf(field, states[index] ?? initialState(field)));
  const submit = (event: Event): void => {
    event.preventDefault();
    setChecked(true);
    if (results.some(({ problem }) => problem !== undefined)) return;
    const values = question.fields.flatMap(({ id }, index): [string, FormValue][] => {
      const value = results[index]?.value;
      return value === undefined ? [] : [[id, value]];
    });
    answer({ type: "form", values: Object.fromEntries(values) })();
  };
  return (
    <form onSubmit={submit} noValidate>
      <div class="question-body">
        {question.message === "" ? undefined : (
          <p class="question-title" dir="auto">
            {question.message}
          </p>
        )}
        {question.fields.map((field, index) => (
          <Field
            key={field.id}
            field={field}
            state={states[index] ?? initialState(field)}
            problem={isChecked ? results[index]?.problem : undefined}
            onChange={(change) =>
              setStates(states.map((state, at) => (at === index ? { ...state, ...change } : state)))
            }
          />
        ))}
      </div>
      <div class="question-foot">
        <div class="buttons">
          <button type="submit" class="button primary">
            {words("ask.send")}
          </button>
          <button type="button" class="button" onClick={answer({ type: "reject" })}>
            {words("ask.skip")}
          </button>
        </div>
      </div>
    </form>
  );
}

interface FieldProps {
  readonly field: FormField;
  readonly state: FieldState;
  readonly problem: Problem | undefined;
  readonly onChange: (change: Partial<FieldState>) => void;
}

function Field(props: FieldProps): JSX.Element {
  const { field, problem } = props;
  const words = useWords();
  const id = useId();
  const note =
    field.description === undefined ? undefined : (
      <p class="note" dir="auto" id={`${id}-note`}>
        {field.description}
      </p>
    );
  const wrong =
    problem === undefined ? undefined : (
      <p class="problem" role="alert">
        {words(problem)}
      </p>
    );
  if (field.input === "text" || field.input === "number") {
    return (
      <div class="form-field">
        <label for={id} dir="auto">
          {field.label}
        </label>
        {note}
        <TextInput id={id} {...props} />
        {wrong}
      </div>
    );
  }
  return (
    <fieldset class="form-field" aria-describedby={field.description === undefined ? undefined : `${id}-note`}>
      <legend dir="auto">{field.label}</legend>
      {note}
      <Options name={id} {...props} />
      {wrong}
    </fieldset>
  );
}

function TextInput({ id, field, state, problem, onChange }: FieldProps & { readonly id: string }): JSX.Element {
  return (
    <input
      id={id}
      class="field"
      type="text"
      dir="auto"
      inputMode={field.input === "number" ? "decimal" : undefined}
      value={state.text}
      required={field.isRequired}
      aria-invalid={problem !== undefined}
      onInput={({ currentTarget }) => onChange({ text: currentTarget.value })}
      onKeyDown={(event) => {
        // Enter that ends a composition sends nothing.
        if (event.key === "Enter" && (event.isComposing || event.keyCode === 229)) event.preventDefault();
      }}
    />
  );
}

function Options({ name, field, state, onChange }: FieldProps & { readonly name: string }): JSX.Element {
  const words = useWords();
  const options = field.input === "boolean" ? [{ value: "yes", label: field.label }] : (field.options ?? []);
  const type = field.input === "one-of" ? "radio" : "checkbox";
  const toggle = (value: string, isOn: boolean): void => {
    if (type === "radio") onChange({ chosen: [value], isOther: false });
    else onChange({ chosen: isOn ? [...state.chosen, value] : state.chosen.filter((one) => one !== value) });
  };
  return (
    <div class="options">
      {options.map(({ value, label, ...rest }) => (
        <label key={value} class="option">
          <input
            type={type}
            name={name}
            checked={state.chosen.includes(value) && !(type === "radio" && state.isOther)}
            onChange={({ currentTarget }) => toggle(value, currentTarget.checked)}
          />
          <span dir="auto">
            {label}
            {"description" in rest && rest.description !== undefined ? (
              <span class="note" dir="auto">
                {rest.description}
              </span>
            ) : undefined}
          </span>
        </label>
      ))}
      {field.allowsOther === true ? (
        <div class="option">
          <label>
            <input
              type={type}
              name={name}
              checked={state.isOther}
              onChange={({ currentTarget }) => onChange({ isOther: currentTarget.checked })}
            />{" "}
            {words("ask.other")}
          </label>
          <input
            type="text"
            dir="auto"
            class="field"
            aria-label={words("ask.other")}
            value={state.text}
            onInput={({ currentTarget }) => onChange({ text: currentTarget.value, isOther: true })}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.isComposing || event.keyCode === 229)) event.preventDefault();
            }}
          />
        </div>
      ) : undefined}
    </div>
  );
}
