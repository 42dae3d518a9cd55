import { Alert } from '@mantine/core'

/** Why something was refused, as a sentence above the form; nothing where it was not. */
export const FormProblem = ({ children }: { children: string | undefined }) =>
  children ? (
    <Alert color="danger" role="alert" className="alert-bad">
      {children}
    </Alert>
  ) : null
