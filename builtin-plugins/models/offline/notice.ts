/** Said before the first answer and in every final one, so that nobody takes the driver for more than it is. */
export const NOTICE = 'offline driver: keyword search, no language model';
